vim9script
# Making a buffer the current one, as the person would: the only place where what they look at is changed.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'

# Goes to a window of the tab page that shows `bufnr`, or shows it in the current window; whether it took the place of
# another buffer. Loses and writes nothing. The person must be in Normal mode.
export def Buffer(bufnr: number): bool
  if bufnr == bufnr()
    return false
  endif
  Allowed(bufnr)
  if bufwinid(bufnr) > 0
    win_gotoid(bufwinid(bufnr))
    return false
  endif
  Kept()
  fault.Guard(() => Enter(bufnr))
  if bufnr() != bufnr
    fault.Throw('gone', printf('an autocommand left buffer %d again', bufnr))
  endif
  return true
enddef

def Allowed(bufnr: number)
  if getcmdwintype() != ''
    fault.Throw('unsupported', 'the person has the command-line window open, which shows no other buffer')
  elseif getbufvar(bufnr, '&buftype') == 'terminal' && term_getstatus(bufnr) =~ 'running'
    fault.Throw('unsupported', printf('buffer %d is a running terminal, which would take what the person types', bufnr))
  endif
enddef

# Throws if the current buffer would be lost when it is not shown any more.
def Kept()
  var shown = bufnr()
  if len(win_findbuf(shown)) > 1
    return
  elseif index(['unload', 'delete', 'wipe'], &bufhidden) >= 0
    fault.Throw('unsupported', printf("buffer %d (%s) in the current window would be lost: its 'bufhidden' is %s",
      shown, buffer.Name(shown), &bufhidden))
  elseif &modified && !&hidden && &bufhidden != 'hide'
    fault.Throw('unsupported', printf("buffer %d (%s) in the current window has unsaved changes and 'hidden' is off",
      shown, buffer.Name(shown)))
  endif
enddef

# With these options Vim would ask, or write the buffer it leaves.
def Enter(bufnr: number): bool
  var saved = {confirm: &confirm, autowrite: &autowrite, autowriteall: &autowriteall}
  try
    Set(mapnew(saved, (_, _) => false))
    execute 'silent buffer ' .. bufnr
  finally
    Set(saved)
  endtry
  return true
enddef

def Set(options: dict<bool>)
  for [name, value] in items(options)
    noautocmd setwinvar(0, '&' .. name, value)
  endfor
enddef
