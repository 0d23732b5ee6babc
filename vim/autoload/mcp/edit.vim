vim9script
# Changes of whole lines, all or nothing, one undo step, nothing of the person's moved.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/gate.vim'
import autoload 'mcp/marks.vim'
import autoload 'mcp/popup.vim'

# Replaces lines in {buffer}, which must be at {tick}. {ops} are [first, last, lines] in the numbering before the
# edit, ascending and without overlap; last = first - 1 puts lines in before `first`. Answers the buffer's facts.
export def Apply(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  buffer.Unchanged(bufnr, p.tick)
  Writable(bufnr)
  gate.Check(bufnr)
  var typing = bufnr == bufnr() && mode(1) != 'n'
  if typing && Takes(p.ops, line('.'))
    # The person would go on typing in another line.
    gate.Check(bufnr, ['n'])
  endif
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

# Buffers whose text is not the person's: another program or Vim itself fills them.
const FILLED = {
  terminal: 'a terminal', prompt: 'the prompt of a program', quickfix: 'a list of errors or places', popup: 'a popup',
}

# Throws unless text of the buffer may change.
export def Writable(bufnr: number)
  var buftype = getbufvar(bufnr, '&buftype')
  if has_key(FILLED, buftype)
    fault.Throw('unsupported', printf('buffer %d is %s, which is not edited', bufnr, FILLED[buftype]))
  elseif !getbufvar(bufnr, '&modifiable')
    fault.Throw('unsupported', printf("buffer %d (%s) has 'modifiable' off", bufnr, buffer.Name(bufnr)))
  endif
enddef

# Ends the undo step, see `:help undo-break`. By the global value: the buffer keeps having no value of its own.
export def Break(bufnr: number)
  popup.Within(bufnr, 'noautocmd &g:undolevels = &g:undolevels')
enddef

# Makes a change of the buffer visible.
export def Show(bufnr: number)
  if win_findbuf(bufnr) != []
    Redraw()
  endif
enddef

# Draws what has changed, unless a prompt on the screen would be wiped.
export def Redraw()
  if index(['r', 'c', '!'], mode()) < 0
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

# Nothing of the person's runs in between (FileChangedRO would), and W10 does not hold the screen for a second.
def Replace(bufnr: number, first: number, last: number, lines: list<string>)
  var old = last - first + 1
  var kept = min([old, len(lines)])
  var failed = 0
  if len(lines) > old
    silent noautocmd keepjumps failed = appendbufline(bufnr, last, lines[kept :])
  elseif old > len(lines)
    silent noautocmd keepjumps failed = deletebufline(bufnr, first + kept, last)
  endif
  if kept > 0 && failed == 0
    silent noautocmd keepjumps failed = setbufline(bufnr, first, lines[: kept - 1])
  endif
  if failed != 0
    fault.Throw('bug', printf('lines %d to %d could not be replaced', first, last))
  endif
enddef

# Whether a line goes away without another in its place.
def Takes(ops: list<any>, lnum: number): bool
  return indexof(ops, (_, op) => op[0] + len(op[2]) <= lnum && lnum <= op[1]) >= 0
enddef

# Where a line went.
def Shifted(lnum: number, ops: list<any>): number
  var at = lnum
  for op in ops
    at += op[1] < lnum ? len(op[2]) - (op[1] - op[0] + 1) : 0
  endfor
  return max([1, at])
enddef
