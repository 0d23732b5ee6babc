vim9script
# Runs Ex commands in a buffer as if its window were the current one, without touching the person's windows,
# views, marks, jump list or alternate file.

# Runs `command` (fixed text of this plugin, never text from outside) in `bufnr` and returns its messages. The
# current buffer uses its own window; any other a hidden popup that lives as long as the command.
export def Within(bufnr: number, command: string): string
  return bufnr == bufnr() ? win_execute(win_getid(), command) : Aside(bufnr, command)
enddef

# The same, always in a hidden popup: the command may move its cursor. Not for a terminal.
export def Aside(bufnr: number, command: string): string
  # 'bufhidden' may say "wipe", and closing the popup hides the buffer.
  var hidden = getbufvar(bufnr, '&bufhidden')
  noautocmd setbufvar(bufnr, '&bufhidden', 'hide')
  var window = 0
  try
    # Vim measures the lines that a popup shows, hidden or not: one is enough.
    noautocmd window = popup_create(bufnr, {hidden: 1, maxheight: 1})
    return win_execute(window, command)
  finally
    if window != 0
      noautocmd popup_close(window)
    endif
    if bufexists(bufnr)
      noautocmd setbufvar(bufnr, '&bufhidden', hidden)
    endif
  endtry
  return ''
enddef
