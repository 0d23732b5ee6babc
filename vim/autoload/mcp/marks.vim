vim9script
# The person's '[ and '], which every change and every write of a buffer moves.

import autoload 'mcp/popup.vim'

# Where they are in {bufnr}: [mark, line, column].
export def Of(bufnr: number): list<list<any>>
  return getmarklist(bufnr)
    ->filter((_, mark) => mark.mark == "'[" || mark.mark == "']")
    ->mapnew((_, mark) => [mark.mark, mark.pos[1], Column(mark.pos[2])])
enddef

# After a linewise command '] is at the largest column, which overflows in getmarklist(); setpos() would not take it.
def Column(column: number): number
  return column < 0 ? v:maxcol : column
enddef

var restoring: list<list<any>> = []

# Puts {marks} back into {bufnr}, at the nearest line that is still there.
export def Restore(bufnr: number, marks: list<list<any>>)
  restoring = marks
  popup.Within(bufnr, 'call mcp#marks#Set()')
enddef

# Runs in the window of the buffer; the marks cannot be set from outside.
export def Set()
  for [mark, lnum, column] in restoring
    setpos(mark, [0, min([lnum, line('$')]), column, 0])
  endfor
  restoring = []
enddef
