vim9script
# What the buffers hold, unsaved text included.

import autoload 'mcp/fault.vim'
import autoload 'mcp/open.vim'

# Makes sure that {buffer: number} exists and is loaded; its number.
export def Loaded(p: dict<any>): number
  if type(p.buffer) != v:t_number || p.buffer < 1 || !bufexists(p.buffer)
    fault.Throw('unknown', printf('there is no buffer %s', string(p.buffer)))
  endif
  if !bufloaded(p.buffer)
    open.Load(p.buffer)
  endif
  return p.buffer
enddef

# Throws `stale` unless the buffer is at the tick the caller saw.
export def Unchanged(bufnr: number, tick: number)
  var now = getbufvar(bufnr, 'changedtick')
  if now != tick
    fault.Throw('stale', printf('buffer %d (%s) changed since tick %d; it is now at %d', bufnr, Name(bufnr), tick, now),
      {changedtick: now})
  endif
enddef

# The full path of the buffer's file, or ''. Not made of bufname(): that may begin with a folder named `~`, for which
# fnamemodify() would put the home directory.
export def Path(bufnr: number): string
  return Rooted(getbufinfo(bufnr)[0].name)
enddef

# Vim takes a name with a leading `~` for a full one, although the file lies below the working directory.
export def Rooted(name: string): string
  return name[0] == '~' ? fnamemodify(getcwd(), ':p') .. name : name
enddef

# The name a person knows the buffer by: short, unless that would name another file.
export def Name(bufnr: number): string
  var path = Path(bufnr)
  var short = fnamemodify(path, ':~:.')
  if path == ''
    return '[No Name]'
  endif
  return short[0] == '~' && fnamemodify(short, ':p') != path ? path : short
enddef

# The facts every answer about one buffer begins with.
export def Brief(bufnr: number): dict<any>
  return {
    buffer: bufnr,
    filename: Path(bufnr),
    changedtick: getbufvar(bufnr, 'changedtick'),
    line_count: getbufinfo(bufnr)[0].linecount,
    modified: !!getbufvar(bufnr, '&modified'),
  }
enddef

# Brief facts of {buffer: number}, loaded on demand.
export def Probe(p: dict<any>): dict<any>
  var bufnr = Loaded(p)
  return Brief(bufnr)->extend({
    modifiable: !!getbufvar(bufnr, '&modifiable'),
    name: Name(bufnr),
  })
enddef

# Lines {first} to {last} of {buffer}, at most {bytes} of them but always one: {first, lines, lossy, changedtick,
# line_count, filename}. `lossy` lists the numbers of lines with bytes that JSON cannot carry.
export def Read(p: dict<any>): dict<any>
  var bufnr = Loaded(p)
  var lines: list<string> = []
  var lossy: list<number> = []
  var room: number = p.bytes
  var next: number = p.first
  while next <= p.last && room > 0
    var page = getbufline(bufnr, next, min([p.last, next + 255]))
    if page == []
      break
    endif
    lossy += Lossy(page, next)
    [page, room] = Fit(page, room)
    lines += page
    next += len(page)
  endwhile
  filter(lossy, (_, lnum) => lnum < next)
  return Brief(bufnr)->extend({first: p.first, lines: lines, lossy: lossy})
enddef

# The head of `page` that fits into `room` bytes (never empty), and the room left.
def Fit(page: list<string>, room: number): list<any>
  var left = room
  for i in range(len(page))
    left -= len(page[i]) + 1
    if left <= 0
      return [page[: i], 0]
    endif
  endfor
  return [page, left]
enddef

# What Vim takes for characters and UTF-8 does not: surrogates, and numbers beyond those of Unicode.
const BEYOND = '\%#=2[\ud800-\udfff\U110000-\U7fffffff]'
# The bytes such characters begin with. Looking for them is fast, and hardly any text has one.
const LEADS = ["\xed", "\xf4", "\xf5", "\xf6", "\xf7", "\xf8", "\xf9", "\xfa", "\xfb", "\xfc", "\xfd"]

# Numbers of the lines that do not arrive as they are: JSON makes U+FFFD of invalid UTF-8, the reader of `BEYOND`.
export def Lossy(page: list<string>, first: number): list<number>
  var text = join(page)
  var suspect = indexof(LEADS, (_, byte) => stridx(text, byte) >= 0) >= 0
  var decoded = json_decode(json_encode(page))
  if decoded == page && !suspect
    return []
  endif
  return range(len(page))
    ->filter((_, i) => decoded[i] !=# page[i] || (suspect && page[i] =~ BEYOND))
    ->mapnew((_, i) => first + i)
enddef

# The editor at a glance: cursor, working directory, mode and up to {limit} buffers from the {offset}th on, or only
# {buffer}. Unlisted buffers are left out unless {unlisted}.
export def State(p: dict<any>): dict<any>
  if has_key(p, 'buffer') && !bufexists(p.buffer)
    fault.Throw('unknown', printf('there is no buffer %d', p.buffer))
  endif
  var numbers = has_key(p, 'buffer') ? [p.buffer] : Numbers(p.unlisted)
  return {
    mode: mode(1),
    cwd: getcwd(),
    cursor: {buffer: bufnr(), line: line('.'), column: charcol('.')},
    windows: winnr('$'),
    buffers: numbers[p.offset : p.offset + p.limit - 1]->mapnew((_, bufnr) => Full(getbufinfo(bufnr)[0])),
    total: len(numbers),
  }
enddef

def Numbers(unlisted: bool): list<number>
  return range(1, bufnr('$'))->filter((_, bufnr) => unlisted ? bufexists(bufnr) : buflisted(bufnr))
enddef

def Full(info: dict<any>): dict<any>
  var bufnr = info.bufnr
  var Option = (name) => getbufvar(bufnr, '&' .. name)
  return {
    buffer: bufnr,
    filename: Path(bufnr),
    changedtick: info.changedtick,
    line_count: info.linecount,
    current: bufnr == bufnr(),
    alternate: bufnr == bufnr('#'),
    loaded: info.loaded != 0,
    listed: info.listed != 0,
    visible: info.windows != [],
    modified: !!Option('modified'),
    modifiable: !!Option('modifiable'),
    readonly: !!Option('readonly'),
    filetype: Option('filetype'),
    buftype: Option('buftype'),
    fileencoding: Option('fileencoding'),
    fileformat: Option('fileformat'),
    endofline: !!Option('endofline'),
    bomb: !!Option('bomb'),
    last_used: info.lastused,
  }
enddef
