vim9script
# The visible cursor, moved on purpose.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/edit.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/gate.vim'
import autoload 'mcp/show.vim'

# Puts the person's cursor on {line} and {column} (in characters) of {buffer}, which is at {tick} if given, and selects
# up to {end} with the same members if given. Answers the buffer's facts, line, column and mode.
export def Set(p: dict<any>): dict<any>
  var bufnr = buffer.Loaded(p)
  if has_key(p, 'tick')
    buffer.Unchanged(bufnr, p.tick)
  endif
  gate.Check(bufnr(), ['n'])
  Exists(bufnr, p)
  if has_key(p, 'end')
    Exists(bufnr, p.end)
    Forward(p)
  endif
  if !show.Buffer(bufnr)
    # For CTRL-O; a change of the buffer sets it by itself.
    normal! m'
  endif
  Go(p)
  if has_key(p, 'end')
    Select(p)
  endif
  edit.Redraw()
  return buffer.Brief(bufnr)->extend({line: line('.'), column: charcol('.'), mode: mode(1)})
enddef

def Exists(bufnr: number, at: dict<any>)
  var count = getbufinfo(bufnr)[0].linecount
  if at.line > count
    fault.Throw('invalid', printf('there is no line %d: buffer %d (%s) has lines 1 to %d', at.line, bufnr,
      buffer.Name(bufnr), count))
  endif
  var length = max([1, strcharlen(getbufline(bufnr, at.line)[0])])
  if at.column > length
    fault.Throw('invalid', printf('there is no column %d in line %d: it has columns 1 to %d', at.column, at.line,
      length))
  endif
enddef

def Forward(p: dict<any>)
  if p.end.line < p.line || (p.end.line == p.line && p.end.column < p.column)
    fault.Throw('invalid', 'the end lies before the beginning')
  endif
enddef

# Folds are opened round the cursor.
def Go(at: dict<any>)
  setcursorcharpos(at.line, at.column)
  normal! zv
enddef

# With "cmd" in 'selectmode' the next key would replace the selection.
def Select(p: dict<any>)
  var selectmode = &selectmode
  Go(p.end)
  Go(p)
  noautocmd set selectmode=
  normal! v
  noautocmd &selectmode = selectmode
  setcursorcharpos(p.end.line, p.end.column + (&selection == 'exclusive' ? 1 : 0))
enddef
