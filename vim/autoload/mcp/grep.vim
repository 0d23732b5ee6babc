vim9script
# Searching the text of buffers where it is, a slice of time at a time, so that the screen never stands still.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/popup.vim'

# Milliseconds after which a slice ends, and which one search may take, also of one line alone. Only search() can give
# up in the middle of a regular expression.
const SLICE = 10
const LIMIT = 30
const LIMIT_OF_LINE = 100
# Lines that one search looks at; fewer where a pattern is slow.
const STEP = 1024
# Matches counted in one line: each is found by going through those before it.
const MOST_IN_LINE = 100
# Bytes shown of a longer line, and how many of them stand before the match.
const SHOWN = 400
const BEFORE = 100

# The slice that is under way: the parameters of the request, what it found, and where it is.
var slice: dict<any> = {}

# Looks for {pattern} in {buffer}, or in all listed and loaded ones if that is 0, in the lines {first} to {last}, from
# {at} on, {} at the beginning. The first {skip} matches are only counted, and so are those after the next {limit}.
# Answers {buffers: [{buffer, filename, changedtick}] looked at, matches: [{buffer, line, column, text, cut}], count,
# at}: where the next slice goes on, {} if all has been searched.
export def Search(p: dict<any>): dict<any>
  fault.Guard(() => match('', p.pattern), 'invalid')
  slice = copy(p)->extend({begun: reltime(), buffers: [], matches: [], count: 0})
  for bufnr in Buffers(p)->filter((_, number) => number >= get(p.at, 'buffer', 0))
    if get(slice.at, 'buffer', 0) != bufnr
      slice.at = {buffer: bufnr, line: p.first, column: 1, step: STEP, in_line: 0}
    endif
    if !Finished(bufnr) || Since(slice.begun) >= SLICE
      return Answer(slice.at)
    endif
  endfor
  return Answer({})
enddef

def Answer(at: dict<any>): dict<any>
  return {buffers: slice.buffers, matches: slice.matches, count: slice.count, at: at}
enddef

# A terminal cannot be shown in a second window, in which it would be searched.
def Buffers(p: dict<any>): list<number>
  if p.buffer == 0
    return range(1, bufnr('$'))->filter((_, bufnr) => buflisted(bufnr) && bufloaded(bufnr) && !IsTerminal(bufnr))
  elseif IsTerminal(buffer.Loaded(p))
    fault.Throw('unsupported', printf('buffer %d is a terminal, which cannot be searched; read its lines', p.buffer))
  endif
  return [p.buffer]
enddef

def IsTerminal(bufnr: number): bool
  return getbufvar(bufnr, '&buftype') == 'terminal'
enddef

# Searches one buffer; false if the time was over before its end.
def Finished(bufnr: number): bool
  var facts = buffer.Brief(bufnr)
  slice.end = min([slice.last, facts.line_count])
  add(slice.buffers, {buffer: bufnr, filename: facts.filename, changedtick: facts.changedtick})
  if slice.at.line <= slice.end
    fault.Guard(() => popup.Aside(bufnr, 'call mcp#grep#Scan()'), 'invalid')
  endif
  return slice.at.line > slice.end
enddef

# Runs in a window of the buffer: a search moves the cursor there.
export def Scan()
  var at: dict<any> = slice.at
  var entered = reltime()
  # However long it took to come here, each slice gets on.
  while at.line <= slice.end && Since(entered) < SLICE
    var stop: number = min([slice.end, at.line + at.step - 1])
    var limit = stop > at.line ? LIMIT : LIMIT_OF_LINE
    var begun = reltime()
    cursor(at.line, at.column)
    var [lnum, byte] = searchpos(slice.pattern, 'cW', stop, limit)
    if lnum > 0
      Take(lnum, byte)
      at.in_line = lnum == at.line ? at.in_line + 1 : 1
      var next = at.in_line < MOST_IN_LINE ? After(lnum, byte) : 0
      [at.line, at.column] = next > byte && next <= len(getline(lnum)) ? [lnum, next] : [lnum + 1, 1]
    elseif Since(begun) < limit
      [at.line, at.column, at.in_line] = [stop + 1, 1, 0]
      at.step = min([STEP, at.step * 2])
    elseif stop > at.line
      at.step = max([1, (stop - at.line + 1) / 8])
    else
      fault.Throw('invalid', printf('the pattern takes too long in line %d of buffer %d; make it simpler',
        at.line, at.buffer))
    endif
  endwhile
enddef

# The byte after a match, at least one character on. A match of several lines is not found again in one.
def After(lnum: number, byte: number): number
  var line = getline(lnum)
  var next = matchend(line, '.', byte - 1)
  var [_, start, end] = matchstrpos(line, slice.pattern, byte - 1)
  return (start == byte - 1 ? max([end, next]) : next) + 1
enddef

def Take(lnum: number, byte: number)
  slice.count += 1
  if slice.count > slice.skip && len(slice.matches) < slice.limit
    var line = getline(lnum)
    var [text, cut] = Shown(line, byte - 1)
    var column = byte > len(line) ? strcharlen(line) : charidx(line, byte - 1)
    add(slice.matches, {buffer: slice.at.buffer, line: lnum, column: column + 1, text: text, cut: cut})
  endif
enddef

# A line, or the part around a match at `byte` (from 0) if it is long, and whether it was cut.
def Shown(line: string, byte: number): list<any>
  if len(line) <= SHOWN
    return [line, false]
  endif
  var begin = max([0, byte - BEFORE])
  while IsInside(line, begin)
    begin -= 1
  endwhile
  var end = min([len(line), begin + SHOWN])
  while IsInside(line, end)
    end -= 1
  endwhile
  return [(begin > 0 ? '…' : '') .. strpart(line, begin, end - begin) .. (end < len(line) ? '…' : ''), true]
enddef

# Whether a byte, from 0, is not the first of its character.
def IsInside(line: string, at: number): bool
  return and(char2nr(strpart(line, at, 1)), 0xC0) == 0x80
enddef

def Since(begun: list<any>): float
  return reltimefloat(reltime(begun)) * 1000
enddef
