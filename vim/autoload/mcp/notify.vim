vim9script
# What an assistant tells the person.

import autoload 'mcp/edit.vim'
import autoload 'mcp/message.vim'
import autoload 'mcp/visible.vim'

const MESSAGE = {info: 'None', warning: 'WarningMsg', error: 'ErrorMsg'}
const POPUP = {info: 'Pmenu', warning: 'WarningMsg', error: 'ErrorMsg'}

# Shows {text} with {level} info, warning or error: {shown: 'message', or 'popup' if it does not fit into one line, or
# 'later' while the person is at a prompt or in the middle of a command}.
export def Show(p: dict<any>): dict<any>
  var lines = split(p.text, "\n")
  if len(lines) == 1 && message.Fits(p.text)
    return {shown: message.WhenFree(() => message.Echo(p.text, MESSAGE[p.level])) ? 'message' : 'later'}
  endif
  return {shown: message.WhenFree(() => Popup(lines, POPUP[p.level])) ? 'popup' : 'later'}
enddef

# Goes by itself after the time it takes to read it, or by a click.
def Popup(lines: list<string>, highlight: string)
  var text = mapnew(lines, (_, line) => visible.Line(line))
  popup_notification(text, {
    title: ' mcp ',
    highlight: highlight,
    time: min([30000, 4000 + 60 * strlen(join(text))]),
    maxwidth: min([70, &columns - 10]),
    maxheight: max([3, &lines / 2]),
    close: 'click',
  })
  edit.Redraw()
enddef
