vim9script
# What the person sees now. Only looked at: nothing is drawn anew.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/state.vim'

# {mode, rows, columns, cursor: {row, column}, lines, windows}: the text of each screen row without trailing blanks,
# and the windows of the tab page.
export def Look(): dict<any>
  return {
    mode: strtrans(mode(1)),
    rows: &lines,
    columns: &columns,
    cursor: Cursor(),
    lines: Lines(),
    windows: state.Windows()->mapnew((_, info) => Window(info)),
  }
enddef

# Right after a redraw Vim itself does not know where the terminal's cursor is.
def Cursor(): dict<number>
  if screenrow() <= &lines
    return {row: screenrow(), column: screencol()}
  endif
  var place = screenpos(win_getid(), line('.'), col('.'))
  return {row: place.row, column: place.curscol}
enddef

# The second cell of a wide character is empty.
def Lines(): list<string>
  var lines: list<string> = []
  for row in range(1, &lines)
    var text = ''
    for column in range(1, &columns)
      text ..= screenstring(row, column)
    endfor
    add(lines, trim(text, ' ', 2))
  endfor
  return lines
enddef

def Window(info: dict<any>): dict<any>
  var cursor = getcursorcharpos(info.winid)
  var window = {
    buffer: info.bufnr,
    filename: buffer.Path(info.bufnr),
    row: info.winrow,
    column: info.wincol,
    height: info.height,
    width: info.width,
    first: info.topline,
    last: info.botline,
    cursor: {line: cursor[1], column: cursor[2]},
  }
  return info.winid == win_getid() ? window->extend({current: true}) : window
enddef
