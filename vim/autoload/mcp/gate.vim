vim9script
# When text may change. A change of the current buffer while the person is in Visual mode, in the middle of an
# operator or in a prompt would make their next key hit other lines than they see.

import autoload 'mcp/fault.vim'
import autoload 'mcp/idle.vim'
import autoload 'mcp/link.vim'

const TYPING = ['n', 'i', 'R']

# By |mode()|, or its first letter where it is not here.
const MODES = {
  v: 'has text selected in Visual mode',
  V: 'has lines selected in Visual mode',
  "\<C-V>": 'has a block selected in Visual mode',
  s: 'has text selected in Select mode',
  S: 'has lines selected in Select mode',
  "\<C-S>": 'has a block selected in Select mode',
  ic: 'has the completion menu open',
  Rc: 'has the completion menu open',
  ix: 'has typed CTRL-X in Insert mode',
  Rx: 'has typed CTRL-X in Insert mode',
  niI: 'gives one command from Insert mode',
  niR: 'gives one command from Replace mode',
  niV: 'gives one command from Replace mode',
  Rv: 'is in Virtual Replace mode',
  r: 'is at the hit-enter prompt',
  rm: 'is at the more prompt',
  'r?': 'has a question to answer',
  '!': 'runs a shell command',
  t: 'is in a terminal',
}

# By |getcmdtype()|.
const LINES = {
  ':': 'the command line',
  '/': 'the search line',
  '?': 'the search line',
  '=': 'the expression line',
  '@': 'a question of a script, to be answered in the command line',
  '>': 'the prompt of the debugger',
  '-': 'the lines of :append or :insert',
}

# The modes that requests which were turned away wait for.
var wanted: list<list<string>> = []
# The modes asked for last.
var asked: list<string> = TYPING
# Looks by itself while somebody waits, so many milliseconds apart: events may be kept back.
var timer = -1
const LOOK = 200

# Throws `busy` unless the current mode is one of `modes` (default Normal, Insert and Replace) and nothing is half
# typed, see `:help state()`. Buffers that are not the current one may change at any time.
export def Check(bufnr: number, modes: list<string> = TYPING)
  asked = modes
  if bufnr == bufnr() && !Free(modes, 'moaSs')
    fault.Throw('busy', Describe(), {mode: strtrans(mode(1)), state: state()})
  endif
enddef

def Free(modes: list<string>, flags: string): bool
  return index(modes, mode(1)) >= 0 && state(flags) == ''
enddef

# The mode, and what the person is doing if a change of the current buffer would have to wait for its end, else ''.
export def Pulse(): dict<string>
  return {mode: strtrans(mode(1)), busy: Free(TYPING, 'moaSs') ? '' : Describe()}
enddef

# What the person is doing, in words that they know.
export def Describe(): string
  return 'the person ' .. Doing(mode(1))
enddef

def Doing(at: string): string
  if index(TYPING, at) >= 0 && state('moaSs') == ''
    return 'is in ' .. {n: 'Normal', i: 'Insert', R: 'Replace'}[at] .. ' mode'
  elseif at =~ '^no'
    return 'is in the middle of an operator'
  elseif at =~ '^[nR]$'
    return 'has typed half a command, or a script waits for a key'
  elseif at == 'i'
    return 'has typed half a key of Insert mode, or a mapping waits for one'
  elseif at =~ '^c'
    return 'is at ' .. (at == 'cv' || at == 'ce' ? 'the prompt of Ex mode' : get(LINES, getcmdtype(), 'a prompt'))
  endif
  return get(MODES, at, get(MODES, at[0], 'is in mode ' .. strtrans(at)))
enddef

# Has the broker told once when what was asked last may be asked again.
export def Watch()
  add(wanted, asked)
  augroup mcp_gate
    autocmd!
    autocmd SafeState,SafeStateAgain * Notice('moas')
    autocmd ModeChanged * timer_start(0, (_) => LookAgain())
  augroup END
  idle.Stir()
  timer_stop(timer)
  timer = timer_start(LOOK, (_) => LookAgain(), {repeat: -1})
enddef

def LookAgain()
  Notice('moaSs')
  if wanted != []
    idle.Stir()
  endif
enddef

def Notice(flags: string)
  if indexof(wanted, (_, modes) => Free(modes, flags)) < 0
    return
  endif
  wanted = []
  timer_stop(timer)
  augroup mcp_gate
    autocmd!
  augroup END
  link.Event({name: 'ready'})
enddef
