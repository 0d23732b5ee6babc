vim9script
# What assistants did, told to the person: a word on the screen, the lines in another colour for a moment, a log, a flag for the
# status line.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/highlight.vim'
import autoload 'mcp/link.vim'
import autoload 'mcp/message.vim'
import autoload 'mcp/visible.vim'

# What is said of a verb; of others nothing is logged.
const WORDS = {
  edit: 'edited', substitute: 'edited', undo: 'undid a change of', redo: 'redid a change of', save: 'saved', open: 'opened',
  new: 'made', cursor: 'moved the cursor in', ex: 'ran a command in', eval: 'evaluated an expression in',
}
# Those that change text.
const CHANGING = ['edit', 'substitute', 'undo', 'redo']
const MOST_LOGGED = 200
# Ranges of lines that are named.
const MOST_NAMED = 3
# Milliseconds in which several edits are told of as one, and for which the status line tells of the last.
const SOON = 60
const RECENT = 3000

# What is still to be told: {client, verb, bufnr, ops, tick: after it, or 0}.
var done: list<dict<any>> = []
# Strings, the oldest first.
var log: list<string> = []
# What is to be said, '' for nothing.
var saying = ''
# The client that edited a moment ago, and what ends that.
var recent = ''
var timer = -1

# A client did {verb} with {params}; {answer} has the facts of the buffer if it is about one. Told a moment later, so that a
# client that makes many edits does not wait for it.
export def Did(client: string, verb: string, params: dict<any>, answer: any)
  if !has_key(WORDS, verb)
    return
  endif
  var facts: dict<any> = type(answer) == v:t_dict ? answer : {}
  var bufnr: number = get(facts, 'buffer', get(params, 'buffer', bufnr()))
  var tick: number = get(facts, 'changedtick', 0)
  add(done, {client: client, verb: verb, bufnr: bufnr, ops: get(params, 'ops', []), tick: tick})
  if len(done) == 1
    timer_start(SOON, (_) => Tell())
  endif
enddef

# Nothing that goes wrong here is worth a word.
function Tell()
  try
    call s:TellAll()
  catch
  endtry
endfunction

def TellAll()
  var deeds = filter(done, (_, deed) => bufexists(deed.bufnr))
  done = []
  for deed in deeds
    add(log, strftime('%H:%M:%S ') .. visible.Line(Told(deed)))
  endfor
  if len(log) > MOST_LOGGED
    remove(log, 0, len(log) - MOST_LOGGED - 1)
  endif
  var changing = filter(deeds, (_, deed) => index(CHANGING, deed.verb) >= 0)
  if changing == []
    return
  endif
  recent = changing[-1].client
  timer_stop(timer)
  timer = timer_start(RECENT, (_) => Forget())
  saying = Told(changing[-1])
  Soon()
  highlight.Lines(changing[-1].bufnr, changing[-1].tick, Ranges(changing[-1].ops))
enddef

def Told(deed: dict<any>): string
  return printf('%s %s %s%s', deed.client, WORDS[deed.verb], Named(Ranges(deed.ops)), buffer.Name(deed.bufnr))
enddef

# :McpLog
export def Log()
  echo log == [] ? 'no assistant has done anything here' : join(log, "\n")
enddef

# :McpUndo [{client}]: the broker knows what was changed since.
export def Undo(client: string)
  if link.Ready()
    link.Event({name: 'undo', client: client})
  else
    message.Say('not connected: only the broker knows what can be taken back')
  endif
enddef

# For the status line: '' while this Vim is not connected, else [mcp], or who just edited.
export def Flag(): string
  return !link.Ready() ? '' : recent == '' ? '[mcp]' : printf('[mcp: %s]', visible.Line(recent))
enddef

# Where the lines of operations are after them: [first, last]; one that left none is the line behind.
def Ranges(ops: list<any>): list<list<number>>
  var shift = 0
  var ranges: list<list<number>> = []
  for [first, last, lines] in ops
    add(ranges, [first + shift, first + shift + max([1, len(lines)]) - 1])
    shift += len(lines) - (last - first + 1)
  endfor
  return ranges
enddef

def Named(ranges: list<list<number>>): string
  if ranges == []
    return ''
  endif
  var named = ranges[: MOST_NAMED - 1]->mapnew((_, range) => range[0] == range[1] ? string(range[0]) : join(range, '-'))
  var more = len(ranges) > MOST_NAMED ? ', …' : ''
  var isOne = len(ranges) == 1 && ranges[0][0] == ranges[0][1]
  return printf('%s %s%s of ', isOne ? 'line' : 'lines', join(named, ', '), more)
enddef

# Shows what is to be said, and the status line, unless the person is at a prompt or in a command: then it is said when they
# are back in Normal mode. So it is in Insert mode, where Vim would write the mode over it at once, see 'showmode'.
def Soon()
  var isFree = index(['n', 'i', 'R'], mode(1)) >= 0 && state('mos') == ''
  if isFree
    # Listeners run then, too: as in edit.vim.
    legacy silent! redrawstatus
  endif
  if saying == '' || !get(g:, 'mcp_messages', true)
    saying = ''
  elseif isFree && (mode(1) == 'n' || !&showmode)
    message.Whisper(saying)
    saying = ''
  else
    augroup mcp_attribution
      autocmd!
      autocmd ModeChanged *:n ++once timer_start(0, (_) => Soon())
    augroup END
  endif
enddef

def Forget()
  recent = ''
  Soon()
enddef
