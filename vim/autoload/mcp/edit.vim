vim9script
# Changes of whole lines, all or nothing, one undo step, nothing of the person's moved.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/gate.vim'
import autoload 'mcp/marks.vim'

# Replaces lines in {buffer}, which must be at {tick}. {ops} are [first, last, lines] in the numbering before the
# edit, ascending and without overlap; last = first - 1 puts lines in before `first`. Answers the buffer's facts.
export def Apply(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  buffer.Unchanged(bufnr, p.tick)
  gate.Check(bufnr)
  Writable(bufnr)
  var typing = bufnr == bufnr() && mode(1) != 'n'
  var changed = marks.Of(bufnr)
  var topline = line('w0')
  Break(bufnr)
  fault.Guard(() => Lines(bufnr, p.ops))
  if typing
    # Setting 'undolevels' here would leave a line of the person's behind on undo: Insert mode has its own break.
    feedkeys("\<C-G>u", 'in')
  else
    Break(bufnr)
  endif
  marks.Restore(bufnr, changed->mapnew((_, mark) => [mark[0], Shifted(mark[1], p.ops), mark[2]]))
  if bufnr == bufnr()
    # Vim moves the first line shown along with its text in every window but the current one.
    winrestview({topline: Shifted(topline, p.ops)})
  endif
  Show(bufnr)
  return buffer.Brief(bufnr)
enddef

# Throws unless text of the buffer may change.
export def Writable(bufnr: number)
  if getbufvar(bufnr, '&buftype') == 'terminal'
    fault.Throw('unsupported', printf('buffer %d is a terminal', bufnr))
  elseif !getbufvar(bufnr, '&modifiable')
    fault.Throw('unsupported', printf("buffer %d (%s) has 'modifiable' off", bufnr, buffer.Name(bufnr)))
  endif
enddef

# Ends the undo step, see `:help undo-blocks`.
export def Break(bufnr: number)
  setbufvar(bufnr, '&undolevels', getbufvar(bufnr, '&undolevels'))
enddef

# Makes a change visible, unless a prompt on the screen would be wiped.
export def Show(bufnr: number)
  if index(['r', 'c', '!'], mode()) < 0 && win_findbuf(bufnr) != []
    redraw
  endif
enddef

def Lines(bufnr: number, ops: list<any>): number
  # From the bottom up, so that the numbers of the operations above stay right.
  for op in reverse(copy(ops))
    Replace(bufnr, op[0], op[1], op[2])
  endfor
  return len(ops)
enddef

def Replace(bufnr: number, first: number, last: number, lines: list<string>)
  var old = last - first + 1
  var kept = min([old, len(lines)])
  var failed = 0
  if len(lines) > old
    keepjumps failed = appendbufline(bufnr, last, lines[kept :])
  elseif old > len(lines)
    silent keepjumps failed = deletebufline(bufnr, first + kept, last)
  endif
  if kept > 0 && failed == 0
    keepjumps failed = setbufline(bufnr, first, lines[: kept - 1])
  endif
  if failed != 0
    fault.Throw('bug', printf('lines %d to %d could not be replaced', first, last))
  endif
enddef

# Where a line went.
def Shifted(lnum: number, ops: list<any>): number
  var at = lnum
  for op in ops
    at += op[1] < lnum ? len(op[2]) - (op[1] - op[0] + 1) : 0
  endfor
  return max([1, at])
enddef
