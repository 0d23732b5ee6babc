vim9script
# Writing a buffer to its file, never with a question on the person's screen.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/disk.vim'
import autoload 'mcp/encoding.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/gate.vim'
import autoload 'mcp/marks.vim'
import autoload 'mcp/open.vim'
import autoload 'mcp/popup.vim'

# Runs :update in {buffer}, which must be at {tick}. Answers the buffer's facts after the write, `written` if there was
# one, and `changed` if autocommands (a formatter, for one) changed the text meanwhile.
export def Save(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  buffer.Unchanged(bufnr, p.tick)
  Writable(bufnr)
  gate.Check(bufnr)
  var modified = getbufvar(bufnr, '&modified')
  if modified
    if getbufvar(bufnr, '&buftype') == ''
      open.Regular(buffer.Path(bufnr))
      disk.Check(bufnr)
      encoding.Check(bufnr)
    endif
    fault.Guard(() => Write(bufnr))
  endif
  if !bufloaded(bufnr)
    fault.Throw('gone', printf('buffer %d went away while it was written', bufnr))
  endif
  var facts = buffer.Brief(bufnr)
  return modified ? facts->extend(Told(facts, p.tick)) : facts
enddef

# Throws for a buffer that Vim would pass over as if it were unmodified.
def Writable(bufnr: number)
  var buftype = getbufvar(bufnr, '&buftype')
  if buftype == 'nowrite' || buffer.FILELESS->index(buftype) >= 0
    fault.Throw('unsupported', printf("buffer %d (%s) is never written: its 'buftype' is %s",
      bufnr, buffer.Name(bufnr), buftype))
  endif
enddef

# A write of a modified buffer itself counts one change, see |b:changedtick|.
def Told(facts: dict<any>, tick: number): dict<any>
  return facts.changedtick > tick + 1 ? {written: true, changed: true} : {written: true}
enddef

# With 'confirm' Vim would ask where it otherwise fails.
def Write(bufnr: number): number
  var typing = bufnr == bufnr() && mode(1) != 'n'
  var confirm = &confirm
  var written = marks.Of(bufnr)
  noautocmd &confirm = false
  try
    Update(bufnr)
  finally
    noautocmd &confirm = confirm
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
