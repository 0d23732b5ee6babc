vim9script
# Runs Ex commands in a buffer as if its window were the current one, without touching the person's windows,
# views, marks, jump list or alternate file.

import autoload 'mcp/views.vim'

# Runs `command` (fixed text of this plugin, never text from outside) in `bufnr` and returns its messages. The
# current buffer uses its own window; any other a hidden popup that lives as long as the command.
export def Within(bufnr: number, command: string): string
  return bufnr == bufnr() ? win_execute(win_getid(), command) : Aside(bufnr, command)
enddef

# The same, always in a hidden popup: the command may move its cursor. Not for a terminal.
export def Aside(bufnr: number, command: string): string
  # 'bufhidden' may say "wipe", and closing the popup hides the buffer.
  var hidden = getbufvar(bufnr, '&bufhidden')
  if index(['', 'hide'], hidden) < 0
    return views.Kept(() => Unhidden(bufnr, command, hidden))
  endif
  return InPopup(bufnr, command)
enddef

def Unhidden(bufnr: number, command: string, hidden: string): string
  noautocmd setbufvar(bufnr, '&bufhidden', 'hide')
  try
    return InPopup(bufnr, command)
  finally
    if bufexists(bufnr)
      noautocmd setbufvar(bufnr, '&bufhidden', hidden)
    endif
  endtry
  return ''
enddef

def InPopup(bufnr: number, command: string): string
  var window = 0
  try
    # Vim measures the lines that a popup shows, hidden or not: one is enough.
    noautocmd window = popup_create(bufnr, {hidden: 1, maxheight: 1})
    return win_execute(window, command)
  finally
    if window != 0
      noautocmd popup_close(window)
    endif
  endtry
  return ''
enddef
