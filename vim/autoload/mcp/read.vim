vim9script
# Pages of a buffer's text.

import autoload 'mcp/buffer.vim'

# Lines asked for at once: each may be long, and is copied.
const MOST = 64
# What a line costs beside its text, in bytes: many short ones take their time, too.
const OVERHEAD = 8

# Lines {first} to {last} of {buffer}, which must be at {tick} if one is given: the buffer's facts and {first, lines,
# lossy, cut}. A negative {first} counts from the end, -1 is the last line. The first line begins at its character
# {column}, from 1. All together have at most {bytes}; if not even the first line does, it is cut, and `cut` is the
# character at which it goes on, otherwise 0. `lossy` are the numbers of lines with bytes that JSON cannot carry.
export def Read(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  if has_key(p, 'tick')
    buffer.Unchanged(bufnr, p.tick)
  endif
  var facts = buffer.Brief(bufnr)
  var first = p.first < 0 ? max([1, facts.line_count + p.first + 1]) : p.first
  var lines = Page(bufnr, first, p.last, p.column, p.bytes)
  var cut = 0
  if len(lines) == 1 && len(lines[0]) > p.bytes
    var fitting = max([1, charidx(lines[0], p.bytes)])
    lines[0] = strpart(lines[0], 0, byteidx(lines[0], fitting))
    cut = p.column + fitting
  endif
  return facts->extend({first: first, lines: lines, lossy: buffer.Lossy(lines, first), cut: cut})
enddef

# As many lines as fit into `room` bytes, but always one if there is one.
export def Page(bufnr: number, first: number, last: number, column: number, room: number): list<string>
  var lines: list<string> = []
  var left = room
  var size = 1
  while first + len(lines) <= last
    var next = first + len(lines)
    var page = getbufline(bufnr, next, min([last, next + size - 1]))
    if lines == [] && page != []
      page[0] = From(page[0], column)
    endif
    for line in page
      left -= len(line) + OVERHEAD
      if left < 0 && lines != []
        return lines
      endif
      add(lines, line)
    endfor
    if page == [] || left <= 0
      break
    endif
    size = min([MOST, size * 2])
  endwhile
  return lines
enddef

# The rest of `line` from a character on, counted from 1.
def From(line: string, column: number): string
  var at = byteidx(line, column - 1)
  return at < 0 ? '' : strpart(line, at)
enddef
