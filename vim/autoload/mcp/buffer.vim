vim9script
# What the buffers hold, unsaved text included.

import autoload 'mcp/fault.vim'
import autoload 'mcp/open.vim'

# Each 'buftype' whose buffer has no file, even where it has a name.
export const FILELESS = ['nofile', 'terminal', 'prompt', 'popup', 'quickfix']

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

# Numbers of the lines that do not survive JSON: what is no Unicode text becomes U+FFFD. Vim's encoder replaces broken
# UTF-8 itself; surrogates, overlong forms and characters beyond U+10FFFF it sends as they are, and the broker cannot
# take them.
export def Lossy(page: list<string>, first: number): list<number>
  var decoded = json_decode(json_encode(page))
  if decoded == page && IsText(join(page, "\n"))
    return []
  endif
  return range(len(page))
    ->filter((_, i) => decoded[i] !=# page[i] || !IsText(page[i]))
    ->mapnew((_, i) => first + i)
enddef

# To iconv() the two names are one encoding, but it checks every character on the way.
def IsText(text: string): bool
  return len(text) == strchars(text)
    || iconv(text, 'utf-8', 'utf-16le') ==# text && text !~# '\%#=2[\U110000-\U7fffffff]'
enddef
