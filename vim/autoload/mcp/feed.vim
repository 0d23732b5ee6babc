vim9script
# What changes in the buffers that the broker follows, and what else happens in the editor. Nothing is watched before the
# broker asks for it.
#
# All that a change costs is a few comparisons: changes are composed to one range of lines, see |listener_add()|. The text
# goes out when the broker asks for it. It is told once that there is something and then asks: one that is stopped is
# sent no more than that.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/link.vim'
import autoload 'mcp/read.vim'

# Bytes of text that one change tells; what is longer, the broker reads by itself.
const MOST_BYTES = 16384
const MOST_LINES = 1000
# Bytes of one answer, and what an item has beside its text.
const ROOM = 32768
const OVERHEAD = 200
# Items that wait to be fetched.
const MOST_ITEMS = 200

# By buffer number: {listener, tick, count: its lines then, modified, ftime: of its file; since then: range: [first, end
# before, end now] or [], lost: whether the range is not to be trusted, who}; heard: the tick at which Vim had told all it knew.
var followed: dict<dict<any>> = {}
# What happened, in order, as `changes` answers it.
var queue: list<dict<any>> = []
var told = false
# The operations of assistants that are under way: {op, known}.
var acting: list<dict<any>> = []
# Where the person was when last told.
var current = 0

# Follows {buffer}: its facts, which are those of the first text that changes refer to.
export def Follow(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  var buftype = getbufvar(bufnr, '&buftype')
  if index(['terminal', 'prompt', 'quickfix', 'popup'], buftype) >= 0
    fault.Throw('unsupported', printf("buffer %d is not followed: its 'buftype' is %s", bufnr, buftype))
  endif
  Listen({})
  BeLast()
  if !has_key(followed, bufnr)
    # What is left of an earlier text is not ours to tell.
    Hear(bufnr)
    followed[bufnr] = Fresh(bufnr)->extend({listener: listener_add(Heard, bufnr), ftime: Ftime(bufnr)})
  endif
  return buffer.Brief(bufnr)
enddef

# Forgets {buffer}.
export def Unfollow(p: dict<any>): dict<any>
  if has_key(followed, p.buffer)
    listener_remove(followed[p.buffer].listener)
    remove(followed, p.buffer)
  endif
  return {}
enddef

# Has events noted: which buffer the person is in (its number is the answer), what is written, the focus.
export def Listen(_: dict<any>): dict<any>
  if exists('#mcp_feed')
    return {buffer: bufnr()}
  endif
  current = bufnr()
  augroup mcp_feed
    autocmd!
    autocmd BufEnter,WinEnter * Tell()
    autocmd BufLeave * Flush(Abuf())
    autocmd BufWritePost * Written(Abuf(), expand('<stack>'))
    autocmd FocusGained * Note('focused', bufnr())
    autocmd FocusLost * Note('unfocused', bufnr())
    autocmd BufUnload * Cut(Abuf())
    autocmd BufReadPost,FileChangedShellPost * Reloaded(Abuf())
    autocmd BufWipeout * Wiped(Abuf())
  augroup END
  return {buffer: current}
enddef

# Stops all of it, when the connection ends.
export def Clear()
  for record in values(followed)
    listener_remove(record.listener)
  endfor
  followed = {}
  queue = []
  told = false
  if exists('#mcp_feed')
    augroup mcp_feed
      autocmd!
    augroup END
    augroup! mcp_feed
    augroup mcp_settle
      autocmd!
    augroup END
  endif
enddef

# Before Vim waits it must have told its listeners of every change: its garbage collection, which comes when nobody types for
# 'updatetime', frees what it has still to tell them, and the next call of them would crash it. It tells them when it redraws,
# but a change of another channel's, or of an autocommand for |SafeState|, is not drawn. Not by CursorHold: where that has
# autocommands, it ends a getchar() of somebody's mapping.
def Settle()
  var isLate = false
  for [key, record] in items(followed)
    var tick = getbufvar(str2nr(key), 'changedtick', -1)
    if tick != record.heard && tick > 0
      Hear(str2nr(key))
      record.heard = tick
      isLate = true
    endif
  endfor
  if isLate
    BeLast()
  endif
enddef

# Puts Settle() behind all other autocommands, which may change something.
def BeLast()
  augroup mcp_settle
    autocmd!
    autocmd SafeState,SafeStateAgain * Settle()
  augroup END
enddef

# Draws a line: what was changed so far was by the operation {op}, or one that is under way, or else by who the listeners took
# it for. Whatever the broker reads next lies between two changes then.
export def CutAll(op = 0, known = false)
  var by = op == 0 && acting != [] ? acting[-1].op : op
  for bufnr in keys(followed)->map((_, key) => str2nr(key))
    if !bufexists(bufnr)
      # Wiped out without an event.
      remove(followed, bufnr)
    elseif getbufvar(bufnr, 'changedtick') != followed[bufnr].tick
      if op == 0 && getbufvar(bufnr, 'changedtick') != followed[bufnr].heard
        # It was changed behind Settle().
        BeLast()
      endif
      Cut(bufnr, by, known)
    endif
  endfor
enddef

# An operation begins: what changes until its end is its doing. {known}: the broker knows the text it makes.
export def Begin(op: number, known: bool)
  CutAll()
  add(acting, {op: op, known: known})
enddef

# How many are under way: one that waits for the person has others in the middle of it.
export def Depth(): number
  return len(acting)
enddef

# Ends those that have begun since there were `depth`. Not in a :finally: an exception would be forgotten over what listeners
# do.
export def End(depth: number)
  while len(acting) > depth
    var ended = remove(acting, -1)
    CutAll(ended.op, ended.known)
  endwhile
enddef

# What happened since it was asked last: {items, more: whether there is more to fetch}. Items are
# changes: {buffer, from, to: ticks, count: lines now, op or who, and {first, last, added, lines} or {known: true} or
# {lost: true}}: lines `first` to `last` gave way to `added` others, `lines` if they are not too long. Or events:
# {event, buffer, filename, changedtick, op, via: the function or the autocommand that did it, if it was not a command of the
# person's}.
export def Changes(_: dict<any>): dict<any>
  told = false
  CutAll()
  if current != bufnr()
    current = bufnr()
    Add(Event('entered', current))
  endif
  var items: list<dict<any>> = []
  var room = ROOM
  while queue != [] && room > 0
    var item = remove(queue, 0)
    room -= OVERHEAD + Size(get(item, 'lines', []))
    add(items, item)
  endwhile
  return {items: items, more: queue != []}
enddef

# The hash of the whole text of {buffer}, which is to be short.
export def Hash(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  return {
    changedtick: getbufvar(bufnr, 'changedtick'),
    sha256: sha256(getbufline(bufnr, 1, '$')->join("\n")),
  }
enddef

def Abuf(): number
  return expand('<abuf>')->str2nr()
enddef

def Fresh(bufnr: number): dict<any>
  return {
    tick: getbufvar(bufnr, 'changedtick'), heard: getbufvar(bufnr, 'changedtick'), count: Lines(bufnr), range: [],
    lost: false, who: 'person', modified: !!getbufvar(bufnr, '&modified'),
  }
enddef

def Ftime(bufnr: number): number
  return getftime(buffer.Path(bufnr))
enddef

def Lines(bufnr: number): number
  return bufnr == bufnr() ? line('$') : getbufinfo(bufnr)[0].linecount
enddef

# The listener. It composes exactly, whatever the list: lines below a change that is already known are counted as they were
# before it.
def Heard(bufnr: number, _: number, _: number, _: number, changes: list<dict<number>>)
  var record: dict<any> = get(followed, bufnr, {})
  if record == {}
    return
  endif
  var [first, before, now] = record.range == [] ? [0, 0, 0] : record.range
  for change in changes
    # |g~| over a motion that goes nowhere, as |star| may, changes a line and names none.
    record.lost = record.lost || change.lnum == change.end && change.added == 0
    if first == 0
      [first, before, now] = [change.lnum, change.end, change.end]
    endif
    if change.lnum < first
      first = change.lnum
    endif
    if change.end > now
      before += change.end - now
      now = change.end
    endif
    now += change.added
  endfor
  var count = Lines(bufnr)
  if count == 1 && record.count + now - before == 0
    # Of all lines Vim keeps an empty one.
    now += 1
  endif
  # Changes where the person is are theirs; elsewhere a script makes them.
  record.who = bufnr == bufnr() || record.range != [] && record.who == 'person' ? 'person' : 'editor'
  record.range = [first, before, now]
  record.heard = getbufvar(bufnr, 'changedtick')
  record.lost = record.lost || record.count + now - before != count
  Tell()
enddef

def Flush(bufnr: number)
  if has_key(followed, bufnr)
    Hear(bufnr)
  endif
enddef

# Has all listeners called now. As in edit.vim, those of other plugins run in a legacy context, and an error of theirs is not
# ours.
function Hear(bufnr)
  let said = v:errmsg
  silent! call listener_flush(a:bufnr)
  let v:errmsg = said
endfunction

def Cut(bufnr: number, op = 0, known = false)
  var record = get(followed, bufnr, {})
  if record == {} || !bufloaded(bufnr)
    return
  endif
  Hear(bufnr)
  var after = Fresh(bufnr)
  if after.tick == record.tick && record.range == [] && !record.lost
    return
  endif
  var item: dict<any> = {buffer: bufnr, from: record.tick, to: after.tick, count: after.count}
  if op > 0
    item.op = op
  else
    item.who = record.who
  endif
  if record.lost || record.range == [] && after.count != record.count
    item.lost = true
  elseif known
    item.known = true
  elseif record.range != []
    item->extend(Range(bufnr, record.range))
  endif
  var isQuiet = !after.modified && WroteQuietly(bufnr, record)
  record->extend(after)
  Add(item)
  if isQuiet
    record.ftime = Ftime(bufnr)
    Add(Event('written', bufnr)->extend({via: 'an autocommand'}))
  endif
enddef

# Whether the text, which is not modified now, was written where no |BufWritePost| tells of it: by an autocommand that is not
# |autocmd-nested|, as those are that save by themselves. A write counts one change and changes no text. Where text was changed
# too, the file tells; to look at that is not to take longer than it needs.
def WroteQuietly(bufnr: number, record: dict<any>): bool
  return getbufvar(bufnr, '&buftype') == ''
    && (record.range == [] && record.modified || record.range != [] && Ftime(bufnr) != record.ftime)
enddef

def Range(bufnr: number, range: list<number>): dict<any>
  var [first, before, now] = range
  var told_range: dict<any> = {first: first, last: before - 1, added: now - first}
  if told_range.added <= MOST_LINES
    var lines = now > first ? read.Page(bufnr, first, now - 1, 1, MOST_BYTES) : []
    if len(lines) == now - first && Size(lines) <= MOST_BYTES
      told_range.lines = lines
    endif
  endif
  return told_range
enddef

def Size(lines: list<string>): number
  return reduce(lines, (sum, line) => sum + len(line), 0)
enddef

def Reloaded(bufnr: number)
  if has_key(followed, bufnr)
    followed[bufnr].lost = true
    Cut(bufnr)
    if queue != [] && queue[-1].buffer == bufnr && has_key(queue[-1], 'who')
      queue[-1].who = 'reload'
    endif
  endif
enddef

def Wiped(bufnr: number)
  Note('wiped', bufnr)
  # The listener goes with the buffer.
  if has_key(followed, bufnr)
    remove(followed, bufnr)
  endif
enddef

# After |BufWritePost|, with the call stack there.
def Written(bufnr: number, stack: string)
  if has_key(followed, bufnr)
    followed[bufnr]->extend({modified: false, ftime: Ftime(bufnr)})
  endif
  Cut(bufnr)
  var via = acting == [] ? Via(stack) : ''
  Add(Event('written', bufnr)->extend(via == '' ? {} : {via: via}))
enddef

# The innermost function or autocommand of others in a call stack, see |<stack>|; '' where there is none. The last one is ours.
def Via(stack: string): string
  var at = split(stack, '\.\.')[: -2]->filter((_, call) => call =~# '^function \| Autocommands for ')
  return at == [] ? '' : at[-1]->substitute('\[\d\+\]$', '', '')
enddef

def Note(event: string, bufnr: number)
  Cut(bufnr)
  Add(Event(event, bufnr))
enddef

def Event(event: string, bufnr: number): dict<any>
  var item: dict<any> = {
    event: event, buffer: bufnr, filename: buffer.Path(bufnr), changedtick: getbufvar(bufnr, 'changedtick', 0),
  }
  return acting == [] ? item : item->extend({op: acting[-1].op})
enddef

# Where too much waits, it is forgotten: the broker sees that ticks are missing and reads the texts anew.
def Add(item: dict<any>)
  if len(queue) >= MOST_ITEMS
    queue = []
  endif
  add(queue, item)
  Tell()
enddef

# Tells the broker that there is something to fetch.
def Tell()
  if !told
    told = true
    link.Event({name: 'changed'})
  endif
enddef
