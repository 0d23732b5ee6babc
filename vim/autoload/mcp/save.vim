vim9script
# Writing a buffer to its file, never with a question on the person's screen.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/disk.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/gate.vim'
import autoload 'mcp/marks.vim'
import autoload 'mcp/popup.vim'

# Runs :update in {buffer}, which must be at {tick}. Answers the buffer's facts after the write; autocommands may
# have changed it again.
export def Save(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  buffer.Unchanged(bufnr, p.tick)
  gate.Check(bufnr)
  if getbufvar(bufnr, '&modified')
    disk.Check(bufnr)
    fault.Guard(() => Write(bufnr))
  endif
  if !bufloaded(bufnr)
    fault.Throw('gone', printf('buffer %d went away while it was written', bufnr))
  endif
  return buffer.Brief(bufnr)
enddef

# With 'confirm' Vim would ask where it otherwise fails.
def Write(bufnr: number): number
  var typing = bufnr == bufnr() && mode(1) != 'n'
  var confirm = &confirm
  var written = marks.Of(bufnr)
  &confirm = false
  try
    Update(bufnr)
  finally
    &confirm = confirm
    if bufloaded(bufnr)
      marks.Restore(bufnr, written)
    endif
  endtry
  if typing
    feedkeys("\<C-G>u", 'in')
  endif
  return bufnr
enddef

# A window that shows the buffer is better than a popup: an autocommand that splits fails in a popup.
def Update(bufnr: number)
  var windows = win_findbuf(bufnr)
  var command = 'silent keepalt keepjumps update'
  if windows == [] || bufnr == bufnr()
    popup.Within(bufnr, command)
  else
    win_execute(windows[0], command)
  endif
enddef
