vim9script
# One-line messages to the person that disturb nothing: never a hit-enter prompt, never over a prompt.

import autoload 'mcp/idle.vim'

var waiting: list<string> = []
# Milliseconds after which the person's command is over, as a rule.
const SOON = 100
var last = ''

# Shows `text` now, or as soon as the person is in Normal or Insert mode.
export def Say(text: string)
  add(waiting, 'mcp: ' .. substitute(strtrans(text), '\s\+', ' ', 'g'))
  if v:vim_did_enter == 1 && index(['n', 'i', 'R'], mode(1)) >= 0 && state('mos') == ''
    Flush()
    return
  endif
  augroup mcp_message
    autocmd!
    autocmd SafeState,VimEnter * ++once Flush()
  augroup END
  timer_start(SOON, (_) => idle.Stir())
enddef

def Flush()
  var texts = waiting
  waiting = []
  for text in texts
    # One line, whatever else stands there: more would ask for Enter.
    echomsg strdisplaywidth(text) > Room() ? strcharpart(text, 0, Room() - 1) .. '…' : text
    last = text
  endfor
enddef

# The last message in full.
export def Last(): string
  return last
enddef

def Room(): number
  return &columns - 12
enddef
