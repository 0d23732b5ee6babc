vim9script
# Messages to the person that disturb nothing: never a hit-enter prompt, never over a prompt.

import autoload 'mcp/idle.vim'
import autoload 'mcp/visible.vim'

var waiting: list<func> = []
# Milliseconds after which the person's command is over, as a rule.
const SOON = 100
var last = ''

# Tells about the connection as soon as WhenFree() says.
export def Say(text: string)
  WhenFree(() => {
    last = Line(text)
    Echo(text, 'None')
  })
enddef

# Calls `Do` now, or as soon as the person is in Normal or Insert mode with nothing half typed; whether it was now.
export def WhenFree(Do: func): bool
  add(waiting, Do)
  augroup mcp_message
    autocmd!
    autocmd SafeState,SafeStateAgain,VimEnter * Flush()
    autocmd ModeChanged * timer_start(0, (_) => Flush())
  augroup END
  timer_start(SOON, (_) => idle.Stir())
  return Flush()
enddef

# SafeState comes at the hit-enter prompt as well, and after it too early.
def Flush(): bool
  if v:vim_did_enter != 1 || index(['n', 'i', 'R'], mode(1)) < 0 || state('mos') != ''
    return false
  endif
  augroup mcp_message
    autocmd!
  augroup END
  # What a prompt left behind would take the message with it. Listeners of other plugins run then, too, and an error of theirs
  # would ask for Enter in the middle of drawing, where Vim answers nobody: as in edit.vim.
  legacy silent! redrawstatus!
  legacy silent! redraw
  var now = waiting
  waiting = []
  for Do in now
    Do()
  endfor
  return true
enddef

# Whether Echo() shows the whole text.
export def Fits(text: string): bool
  return strdisplaywidth(Line(text)) <= Room()
enddef

def Line(text: string): string
  return 'mcp: ' .. substitute(visible.Line(text), '\s\+', ' ', 'g')
enddef

# Shows `text` on one line, whatever stands in it: more would ask for Enter.
export def Echo(text: string, highlight: string)
  var line = Line(text)
  execute 'echohl' highlight
  echomsg strdisplaywidth(line) > Room() ? strcharpart(line, 0, Room() - 1) .. '…' : line
  echohl None
enddef

var whispered = ''

# The same without a place in |:messages|, and only where no other message stands that the person may be reading.
export def Whisper(text: string)
  var line = Line(text)
  var shown = range(1, &columns / 2)->mapnew((_, column) => screenstring(&lines - &cmdheight + 1, column))->join('')
  if shown =~ '\S' && indexof([whispered, last], (_, own) => stridx(own, trim(shown)) == 0) < 0
    return
  endif
  whispered = line
  echo strdisplaywidth(line) > Room() ? strcharpart(line, 0, Room() - 1) .. '…' : line
enddef

# The last message of Say() in full.
export def Last(): string
  return last
enddef

def Room(): number
  return &columns - 12
enddef
