vim9script
# What the person has selected, in Visual or Select mode now or the last time, as they would yank it (but without the
# blanks that |y| adds to lines that end before a block).

import autoload 'mcp/buffer.vim'
import autoload 'mcp/popup.vim'

const KINDS = {
  v: 'charwise', s: 'charwise', V: 'linewise', S: 'linewise', "\<C-V>": 'blockwise', "\<C-S>": 'blockwise',
}
# Lines in one answer; those of a block cost more.
const MOST = 5000
const MOST_OF_BLOCK = 500

# The selection of the current window, else the last one of its buffer: the buffer's facts, {active, mode}, and unless
# the mode is 'none' {start, end, lines, lossy, left_out, next, next_column}. Columns are characters from 1; that of the
# end is one more than there are if the line break is selected. {bytes} is the most text; `left_out` lines do not fit,
# counting one that is cut, and go on at `next` and `next_column` (0 if all of it is there).
export def Read(p: dict<any>): dict<any>
  var active = !!has_key(KINDS, mode())
  var kind = get(KINDS, active ? mode() : visualmode(), 'none')
  var ends = active ? [getpos('v'), getpos('.')] : [getpos("'<"), getpos("'>")]
  var facts = buffer.Brief(bufnr())->extend({active: active, mode: kind})
  if kind == 'none' || ends[0][1] == 0
    return facts->extend({mode: 'none'})
  endif
  var [from, to] = ends->mapnew((_, pos) => Inside(pos))->sort(Order)
  if kind == 'charwise'
    return facts->extend(Charwise(from, to, p.bytes))
  elseif kind == 'linewise'
    return facts->extend(Linewise(from.line, to.line, p.bytes))
  endif
  var block = Edges(from, to, active)
  return facts->extend(Blockwise(from.line, to.line, block, p.bytes))
enddef

# A position as {line, byte (from 1), over}; `byte` is one beyond the text where the position is.
def Inside(pos: list<number>): dict<number>
  var lnum = min([pos[1], line('$')])
  return {line: lnum, byte: min([pos[2], len(getline(lnum)) + 1]), over: pos[3]}
enddef

def Order(a: dict<number>, b: dict<number>): number
  return a.line != b.line ? a.line - b.line : a.byte != b.byte ? a.byte - b.byte : a.over - b.over
enddef

# With 'virtualedit' a tab is taken whole, and blanks beyond the end of a line are not.
def Charwise(from: dict<number>, to: dict<number>, bytes: number): dict<any>
  var end = &selection == 'exclusive' && from != to ? Before(to) : to
  var last = getline(end.line)
  if end.over > 0 && end.byte > len(last) && last != ''
    end = Before({line: end.line, byte: end.byte, over: 0})
  endif
  var breaks = end.byte > len(last)
  var after = breaks ? len(last) : matchend(last, '.', end.byte - 1)
  var Cut = (lnum) => {
    var line = getline(lnum)
    var begin = lnum == from.line ? from.byte - 1 : 0
    return strpart(line, begin, (lnum == end.line ? after : len(line)) - begin)
  }
  var found = Collect(from.line, end.line, Cut, bytes, Column(from))
  # The break of the last line is selected, too, unless nothing follows it.
  if breaks && found.left_out == 0 && end.line < line('$')
    add(found.lines, '')
  endif
  return found->extend({start: Place(from), end: Place(end)})
enddef

# One character earlier: with 'selection' "exclusive" the one under the cursor does not count.
def Before(pos: dict<number>): dict<number>
  if pos.over > 0
    return {line: pos.line, byte: pos.byte, over: pos.over - 1}
  elseif pos.byte > 1
    var line = getline(pos.line)
    return {line: pos.line, byte: byteidx(line, charidx(line, pos.byte - 2)) + 1, over: 0}
  endif
  return pos.line == 1 ? pos : {line: pos.line - 1, byte: len(getline(pos.line - 1)) + 1, over: 0}
enddef

def Linewise(first: number, last: number, bytes: number): dict<any>
  var found = Collect(first, last, (lnum) => getline(lnum), bytes, 1)
  var start = {line: first, byte: 1}
  return found->extend({start: Place(start), end: {line: last, column: strcharlen(getline(last))}})
enddef

# The first and last screen columns of a block, as an operator would have them.
def Edges(from: dict<number>, to: dict<number>, active: bool): list<number>
  var [left, right] = Columns(from)
  var [begin, end] = Columns(to)
  if end > right
    right = &selection == 'exclusive' && begin - 1 >= right ? begin - 1 : end
  endif
  left = min([left, begin])
  var whole = active ? winsaveview().curswant == v:maxcol : LastWasWhole(from.line, to.line, right)
  return [left, whole ? v:maxcol : right]
enddef

def Columns(pos: dict<number>): list<number>
  return virtcol([pos.line, pos.byte, pos.over], true)
enddef

# The line that is looked at, then whether its last character is selected.
var probed: any = 0

# Whether `$` was used in the last block. Vim does not tell, but then it takes what lies right of the block for
# selected, see |/\%V|; one line that is longer shows it.
def LastWasWhole(first: number, last: number, right: number): bool
  var longer = range(first, min([last, first + MOST_OF_BLOCK]))
  var at = indexof(longer, (_, lnum) => virtcol([lnum, '$']) - 1 > right)
  if at < 0 || &buftype == 'terminal'
    return false
  endif
  probed = longer[at]
  popup.Aside(bufnr(), 'call mcp#selection#Probe()')
  return probed
enddef

export def Probe()
  cursor(probed, len(getline(probed)))
  probed = searchpos('\%V.', 'cW', probed)[0] > 0
enddef

def Blockwise(first: number, last: number, block: list<number>, bytes: number): dict<any>
  var found = Collect(first, last, (lnum) => Part(lnum, block), bytes, 1, MOST_OF_BLOCK)
  return found->extend({
    start: {line: first, column: Column({line: first, byte: At(first, block[0])})},
    end: {line: last, column: Column({line: last, byte: At(last, block[1])})},
  })
enddef

# What of a line lies in the block, nothing if it ends before. A character that is only partly in it, a tab or a wide
# one, counts as spaces.
def Part(lnum: number, block: list<number>): string
  var [left, right] = block
  var line = getline(lnum)
  var width = virtcol([lnum, '$']) - 1
  if width < left
    return ''
  endif
  var begin = At(lnum, left)
  var [from, till] = Span(lnum, begin)
  var head = ''
  if from < left
    head = repeat(' ', min([till, right]) - left + 1)
    begin = matchend(line, '.', begin - 1) + 1
  endif
  if right >= width
    return head .. strpart(line, begin - 1)
  elseif till > right && from < left
    return head
  endif
  var end = At(lnum, right)
  [from, till] = Span(lnum, end)
  if till > right
    return head .. strpart(line, begin - 1, end - begin) .. repeat(' ', right - from + 1)
  endif
  return head .. strpart(line, begin - 1, matchend(line, '.', end - 1) - begin + 1)
enddef

# The first and last screen column of the character at a byte. With 'virtualedit' virtcol() tells only the first.
def Span(lnum: number, byte: number): list<number>
  var next = matchend(getline(lnum), '.', byte - 1) + 1
  return [virtcol([lnum, byte], true)[0], virtcol([lnum, next], true)[0] - 1]
enddef

# The first byte, from 1, of the character at a screen column or of the last one; 1 in an empty line.
def At(lnum: number, column: number): number
  var line = getline(lnum)
  var byte = line == '' ? 1 : virtcol2col(win_getid(), lnum, min([column, virtcol([lnum, '$']) - 1]))
  return byteidx(line, max([0, charidx(line, byte - 1)])) + 1
enddef

# The text of some lines as far as it fits, with what is left out. `column` is the character at which the first begins.
def Collect(
    first: number, last: number, Cut: func(number): string, bytes: number, column: number, most = MOST): dict<any>
  var lines: list<string> = []
  var room = bytes
  var next = first
  var next_column = 0
  while next <= last && room > 0 && len(lines) < most
    var line = Cut(next)
    if len(line) > room
      var fitting = max([1, charidx(line, room)])
      next_column = fitting + (next == first ? column : 1)
      add(lines, strpart(line, 0, byteidx(line, fitting)))
      break
    endif
    add(lines, line)
    room -= len(line) + 1
    next += 1
  endwhile
  return {
    lines: lines,
    lossy: buffer.Lossy(lines, first),
    left_out: last - next + 1,
    next: next > last ? 0 : next,
    next_column: next_column,
  }
enddef

def Place(pos: dict<number>): dict<number>
  return {line: pos.line, column: Column(pos)}
enddef

# The character at a byte, both from 1; one more than there are beyond the end.
def Column(pos: dict<number>): number
  var line = getline(pos.line)
  return pos.byte > len(line) ? strcharlen(line) + 1 : charidx(line, pos.byte - 1) + 1
enddef
