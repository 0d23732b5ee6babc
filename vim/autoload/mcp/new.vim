vim9script
# Buffers without a name.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/open.vim'

# Made, but not loaded because text was locked; the next call takes it.
var spare = 0

# Makes a listed buffer with {lines}, without showing it: its facts. There is nothing to undo in it; with text it counts
# as modified. {filetype} may be ''.
export def Create(p: dict<any>): dict<any>
  # bufexists(0) asks for the alternate file.
  if spare == 0 || !bufexists(spare)
    spare = fault.Guard(() => bufadd(''))
  endif
  open.Load(spare)
  var bufnr = spare
  spare = 0
  setbufvar(bufnr, '&buflisted', 1)
  if p.lines != []
    Fill(bufnr, p.lines)
  endif
  if p.filetype != ''
    setbufvar(bufnr, '&filetype', p.filetype)
  endif
  return buffer.Brief(bufnr)
enddef

# No undo is kept at the level -1, and -123456 stands for the global value, see |'undolevels'|.
def Fill(bufnr: number, lines: list<string>)
  setbufvar(bufnr, '&undolevels', -1)
  setbufline(bufnr, 1, lines)
  setbufvar(bufnr, '&undolevels', -123456)
  setbufvar(bufnr, '&modified', 1)
enddef
