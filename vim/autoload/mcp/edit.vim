vim9script
# Changes of whole lines, all or nothing, one undo step, nothing of the person's moved.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/columns.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/gate.vim'
import autoload 'mcp/marks.vim'
import autoload 'mcp/popup.vim'
import autoload 'mcp/views.vim'

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
  var shown = views.All()
  var seen = shown->mapnew((_, view) => LineOf(bufnr, view.buffer, view.cursor[1]))
  Break(bufnr)
  Lines(bufnr, p.ops)
  if typing
    # Setting 'undolevels' here would leave a line of the person's behind on undo: Insert mode has its own break.
    feedkeys("\<C-G>u", 'in')
  else
    Break(bufnr)
  endif
  marks.Restore(bufnr, changed->mapnew((_, mark) => [mark[0], Shifted(mark[1], p.ops), mark[2]]))
  var wanted = shown->mapnew((n, view) =>
    Column(view.cursor, seen[n], LineOf(bufnr, view.buffer, Shifted(view.cursor[1], p.ops))))
  views.Restore(shown, bufnr, (lnum) => Shifted(lnum, p.ops), wanted)
  views.OnCharacter()
  Show(bufnr)
  return buffer.Brief(bufnr)
enddef

# The line of `bufnr`, if that is the buffer of a view.
def LineOf(bufnr: number, of: number, lnum: number): string
  return of == bufnr ? get(getbufline(bufnr, lnum), 0, '') : ''
enddef

# The column of a cursor in a line that has become another, or 0 where it stays.
def Column(cursor: list<number>, old: string, now: string): number
  var moved = old == now ? 0 : columns.Moved(old, now, cursor[2] - 1) + 1
  return moved == cursor[2] ? 0 : moved
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

# Makes a change of the buffer visible, once the answer is on its way.
export def Show(bufnr: number)
  if win_findbuf(bufnr) != []
    timer_start(0, (_) => Redraw())
  endif
enddef

# Draws what has changed, unless a prompt on the screen would be wiped.
export def Redraw()
  if index(['r', 'c', '!'], mode()) < 0
    # Listeners run then, too.
    legacy silent! redraw
  endif
enddef

def Lines(bufnr: number, ops: list<any>)
  var said = v:errmsg
  var count = getbufinfo(bufnr)[0].linecount + Growth(ops)
  try
    # From the bottom up, so that the numbers of the operations above stay right.
    for op in reverse(copy(ops))
      v:errmsg = ''
      if Replace(bufnr, op[0], op[1], op[2]) != 0
        fault.Refuse(v:errmsg, printf('lines %d to %d could not be replaced', op[0], op[1]))
      endif
    endfor
    if count > 0 && getbufinfo(bufnr)[0].linecount > count
      # All lines went before others came: Vim had put an empty one in their place, and it is the last now.
      Replace(bufnr, count + 1, count + 1, [])
    endif
  finally
    v:errmsg = said
  endtry
enddef

# How many lines more the buffer will have.
def Growth(ops: list<any>): number
  return reduce(ops, (sum, op) => sum + len(op[2]) - (op[1] - op[0] + 1), 0)
enddef

# Answers 0, or 1 if Vim refused, and why in v:errmsg.
def Replace(bufnr: number, first: number, last: number, lines: list<string>): number
  var old = last - first + 1
  var kept = min([old, len(lines)])
  var failed = 0
  if len(lines) > old
    failed = Append(bufnr, last, lines[kept :])
  elseif old > kept
    failed = Delete(bufnr, first + kept, last)
  endif
  return kept == 0 || failed != 0 ? failed : Set(bufnr, first, lines[: kept - 1])
enddef

# Listeners of other plugins, `:help listener_add()`, run while the text changes. Below a :def they would not find
# a global function by its name (E117), hence these legacy functions; and an error of theirs must not end an edit in
# the middle, hence "silent!". Nothing else of the person's runs in between (FileChangedRO would).
function Append(bufnr, last, lines)
  let failed = 0
  silent! noautocmd keepjumps let failed = appendbufline(a:bufnr, a:last, a:lines)
  return failed
endfunction

function Delete(bufnr, first, last)
  let failed = 0
  silent! noautocmd keepjumps let failed = deletebufline(a:bufnr, a:first, a:last)
  return failed
endfunction

function Set(bufnr, first, lines)
  let failed = 0
  silent! noautocmd keepjumps let failed = setbufline(a:bufnr, a:first, a:lines)
  return failed
endfunction

# Whether a line goes away without another in its place.
def Takes(ops: list<any>, lnum: number): bool
  return indexof(ops, (_, op) => op[0] + len(op[2]) <= lnum && lnum <= op[1]) >= 0
enddef

# Where a line went; one that gave way is where the last of those is that came for it, or the one behind.
def Shifted(lnum: number, ops: list<any>): number
  var at = lnum
  for [first, last, lines] in ops
    if last < lnum
      at += len(lines) - (last - first + 1)
    elseif first <= lnum
      at += min([lnum, first + max([0, len(lines) - 1])]) - lnum
    endif
  endfor
  return max([1, at])
enddef
