vim9script
# When text may change. A change of the current buffer while the person is in Visual mode, in the middle of an
# operator or in a prompt would make their next key hit other lines than they see.

import autoload 'mcp/fault.vim'
import autoload 'mcp/link.vim'

const TYPING = ['n', 'i', 'R']

# The modes that requests which were turned away wait for.
var wanted: list<list<string>> = []
# The modes asked for last.
var asked: list<string> = TYPING

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

# What the person is doing, for the error text.
export def Describe(): string
  var at = mode(1)
  var names = {
    v: 'Visual mode', V: 'Visual mode', "\<C-V>": 'Visual mode', s: 'Select mode', S: 'Select mode',
    "\<C-S>": 'Select mode', c: 'a command line', r: 'a prompt', '!': 'a shell command', t: 'a terminal',
    i: 'Insert mode', R: 'Replace mode', n: 'Normal mode',
  }
  if at[0 : 1] == 'no'
    return 'the person is in the middle of an operator'
  endif
  return printf('the person is in %s (mode %s, state %s)', get(names, at[0], 'mode ' .. at), strtrans(at), state())
enddef

# Has the broker told once when what was asked last may be asked again.
export def Watch()
  add(wanted, asked)
  augroup mcp_gate
    autocmd!
    autocmd SafeState,SafeStateAgain * Notice('moas')
    autocmd ModeChanged * timer_start(0, (_) => Notice('moaSs'))
  augroup END
enddef

def Notice(flags: string)
  if indexof(wanted, (_, modes) => Free(modes, flags)) < 0
    return
  endif
  wanted = []
  augroup mcp_gate
    autocmd!
  augroup END
  link.Event({name: 'ready'})
enddef
