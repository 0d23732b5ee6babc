vim9script
# `:s` without its side effects. It runs on a copy of the text in a hidden popup, where neither windows, marks and jumps
# nor undo of the person are in reach; the lines that come out are put into the buffer like any other edit.
#
# Nothing of the pattern or the replacement becomes script: they stand between delimiters that do not occur in them.
# Where the pattern ends in the middle of a collection or after a backslash, no match is noted and nothing is done. An
# expression (`:help sub-replace-\=`) is refused.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/edit.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/gate.vim'

# Seconds that looking for matches may take.
const PATIENCE = 2.0
# A search that has used up its time ends some milliseconds early or late, in seconds.
const MARGIN = 0.05
# Lines that :s looks through at once, and bytes where it cannot stop between lines.
const STRIDE = 1000
const MOST_BYTES = 1048576
# Lines in which matches may go on to the next line without a break: :s takes the square of their number.
const MOST_JOINED = 10000
# Changes that are shown before they are made, and lines of each.
const SAMPLES = 5
const SAMPLE_LINES = 3
const SAMPLE_WIDTH = 200
# Line numbers that are told.
const TOLD = 20
# Options that would change what :s does.
const PLAIN = {magic: true, gdefault: false, edcompatible: false, smartcase: false, regexpengine: 0, cpoptions: 'aABceFs'}
# Options of the buffer that patterns depend on (\k, \<, \%v).
const LOCAL = ['iskeyword', 'tabstop', 'vartabstop']

# What `:s` would do with {pattern}, {replacement}, {ignore_case} and {all} in lines {first} to {last} of {buffer}, which
# must be at {tick}: the buffer's facts and {count, lines, touched, samples}. Throws `invalid` where nothing matches.
export def Preview(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  buffer.Unchanged(bufnr, p.tick)
  edit.Writable(bufnr)
  var plan = Plan(bufnr, p)
  return buffer.Brief(bufnr)->extend({
    count: plan.count,
    lines: plan.lines[: TOLD - 1],
    touched: len(plan.lines),
    samples: plan.ops[: SAMPLES - 1]->mapnew((_, op) => Sample(bufnr, op)),
  })
enddef

# Does it, if there are {count} matches, in one undo step, and adds the {ops} to the parameters. Answers the buffer's facts.
export def Apply(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  buffer.Unchanged(bufnr, p.tick)
  gate.Check(bufnr)
  var plan = Plan(bufnr, p)
  if plan.count != p.count
    fault.Throw('stale', printf('the pattern now matches %d times, not %d', plan.count, p.count))
  endif
  return edit.Apply(p->extend({ops: plan.ops}))
enddef

def Sample(bufnr: number, op: list<any>): dict<any>
  var before = getbufline(bufnr, op[0], min([op[1], op[0] + SAMPLE_LINES - 1]))
  return {first: op[0], before: Short(before), after: Short(op[2][: SAMPLE_LINES - 1])}
enddef

def Short(lines: list<string>): list<string>
  return lines->mapnew((_, line) =>
    strcharlen(line) > SAMPLE_WIDTH ? strcharpart(line, 0, SAMPLE_WIDTH) .. '…' : line)
enddef

# The matches and what they come to: {count, lines: numbers of the lines where one begins, ops: as edit.Apply() takes
# them}.
def Plan(bufnr: number, p: dict<any>): dict<any>
  var lines = getbufline(bufnr, 1, '$')
  Checked(bufnr, p, len(lines))
  InCopy(lines, bufnr, p, () => Look(p))
  if notes == []
    fault.Throw('invalid', printf('the pattern matches nothing in lines %d to %d of buffer %d (%s)',
      p.first, p.last, bufnr, buffer.Name(bufnr)))
  endif
  var plan = {count: len(notes), lines: notes->mapnew((_, note) => note[0])->uniq(), ops: []}
  InCopy(lines, bufnr, p, () => Change(p, lines))
  plan.ops = ops
  notes = []
  ops = []
  return plan
enddef

def Checked(bufnr: number, p: dict<any>, count: number)
  if p.replacement[: 1] == '\='
    fault.Throw('invalid', 'the replacement begins with \=, which would run an expression; for the text itself set literal')
  elseif p.replacement =~ '^\%([^\\]\|\\\_.\)*\\$'
    fault.Throw('invalid', 'the replacement ends with a single backslash; write \\ for the character')
  elseif p.first > p.last || p.last > count
    fault.Throw('invalid', printf('lines %d to %d are not in buffer %d (%s), which has %d', p.first, p.last, bufnr,
      buffer.Name(bufnr), count))
  endif
enddef

var job: dict<any> = {}

# Runs `Body` in a copy of `lines`.
def InCopy(lines: list<string>, bufnr: number, p: dict<any>, Body: func())
  job = {Body: Body, options: extendnew(PLAIN, {ignorecase: p.ignore_case})}
  var window = 0
  try
    noautocmd window = popup_create(lines, {hidden: 1})
    var copy = winbufnr(window)
    noautocmd setbufvar(copy, '&undolevels', -1)
    for name in LOCAL
      noautocmd setbufvar(copy, '&' .. name, getbufvar(bufnr, '&' .. name))
    endfor
    fault.Guard(() => win_execute(window, 'call mcp#substitute#Run()'), 'invalid')
  finally
    if window != 0
      noautocmd popup_close(window)
    endif
  endtry
enddef

# Runs in the window of the copy.
export def Run()
  var saved = job.options->mapnew((name, _) => eval('&' .. name))
  try
    Set(job.options)
    job.Body()
  finally
    # So that & and ~ of the person do nothing rather than what was done here.
    silent keeppatterns :1smagic/^/&/ne
    Set(saved)
  endtry
enddef

def Set(options: dict<any>)
  for [name, value] in items(options)
    noautocmd setwinvar(0, '&' .. name, value)
  endfor
enddef

# The matches, in order: [line, line breaks in it].
var notes: list<list<number>> = []
var since: list<any> = []

# Fills `notes`. The real thing would replace each match by another text; here it is put in again.
def Look(p: dict<any>)
  notes = []
  since = reltime()
  var matches = Probe(p)
  try
    Walk(p)
  catch /^Vim\%((\a\+)\)\=:E486:/
    # Its last flag, which keeps this error away, was taken for a part of the pattern.
  endtry
  if matches && notes == []
    fault.Throw('invalid', 'the pattern is not complete: it has a [ without ] or ends with a backslash; escape it')
  endif
enddef

# :s goes on after an error, so it gets a few lines at a time, unless matches may go from one line to the next.
def Walk(p: dict<any>)
  if p.pattern =~ '\\n\|\\_'
    if line2byte(p.last + 1) - line2byte(p.first) > MOST_BYTES
      fault.Throw('unsupported', printf('lines %d to %d are too much text for a pattern with line breaks; take fewer',
        p.first, p.last))
    endif
    Substitute(p, p.first, p.last, '\=mcp#substitute#Note()')
    return
  endif
  for first in range(p.first, p.last, STRIDE)
    Substitute(p, first, min([first + STRIDE - 1, p.last]), '\=mcp#substitute#Note()')
    Left()
  endfor
enddef

# In patterns and replacements `~` stands for the text that was put in last, which is the person's and could be an
# expression. Now that is "~".
def Forget()
  silent keeppatterns :1snomagic/^/~/ne
enddef

# :s cannot be told to give up. searchpos() can, so it goes first through each line. Whether it matches at all.
def Probe(p: dict<any>): bool
  Forget()
  cursor(p.first, 1)
  var found = false
  while true
    var lnum = searchpos(p.pattern, 'cW', p.last, Left())[0]
    found = found || lnum > 0
    if lnum == 0 || lnum >= p.last
      Left()
      return found
    endif
    cursor(lnum + 1, 1)
  endwhile
  return found
enddef

# Milliseconds left; throws when there are none.
def Left(): number
  var left = PATIENCE - reltimefloat(reltime(since))
  if left <= MARGIN
    fault.Throw('unsupported', 'to look for the pattern takes too long; take fewer lines or a simpler pattern')
  endif
  return max([1, float2nr(left * 1000)])
enddef

def Substitute(p: dict<any>, first: number, last: number, replacement: string)
  var delimiter = Delimiter(p.pattern .. replacement)
  if stridx(p.pattern .. replacement, '~') >= 0
    Forget()
  endif
  execute printf('silent keeppatterns keepjumps :%d,%dsmagic%s', first, last,
    join(['', p.pattern, replacement, p.all ? 'ge' : 'e'], delimiter))
enddef

# A character that is not in the text. Control characters are as good as any, see `:help pattern-delimiter`.
def Delimiter(text: string): string
  for code in range(1, 8)
    if stridx(text, nr2char(code)) < 0
      return nr2char(code)
    endif
  endfor
  fault.Throw('invalid', 'pattern and replacement hold too many control characters')
  return ''
enddef

# Called for each match; what takes its place. A NUL and a CR would become line breaks here.
export def Note(): string
  var matched: any = submatch(0, 1)
  add(notes, [line('.'), len(matched) - 1])
  return len(matched) == 1 ? Plain(matched[0]) : matched->map((_, text) => Plain(text))->join("\n")
enddef

def Plain(text: string): string
  return tr(text, "\n\r", '  ')
enddef

# Runs of lines with matches: {first, until: where the last match begins, last: where it ends, breaks: line breaks in
# matches}.
def Blocks(found: list<list<number>>, count: number): list<dict<number>>
  # Lines that follow each other are done at once, unless they could be joined.
  var gap = indexof(found, (_, note) => note[1] > 0) < 0 ? 1 : 0
  var blocks: list<dict<number>> = []
  var block = {first: 0, until: 0, last: -1, breaks: 0}
  for [lnum, breaks] in found
    if lnum > block.last + gap || block.last < 0
      block = {first: lnum, until: lnum, last: lnum, breaks: 0}
      add(blocks, block)
    endif
    block.until = lnum
    # The end of the last line matches \n, too.
    block.last = max([block.last, min([lnum + breaks, count])])
    block.breaks += breaks
  endfor
  return blocks
enddef

var ops: list<any> = []

# Fills `ops`, as edit.Apply() takes them. Block by block, since only Vim knows how many lines a block becomes.
def Change(p: dict<any>, lines: list<string>)
  ops = []
  since = reltime()
  var shift = 0
  for block in Blocks(notes, len(lines))
    if block.breaks > MOST_JOINED
      fault.Throw('unsupported', printf('lines %d to %d are too many to be joined at once; take fewer', block.first,
        block.last))
    endif
    var count = line('$')
    Substitute(p, block.first + shift, block.until + shift, p.replacement)
    var grown = line('$') - count
    var become = getline(block.first + shift, block.last + shift + grown)
    if become != slice(lines, block.first - 1, block.last)
      add(ops, [block.first, block.last, become])
    endif
    shift += grown
    Left()
  endfor
enddef
