vim9script
# One step in a buffer's undo tree, see `:help undo-tree`.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/edit.vim'
import autoload 'mcp/gate.vim'
import autoload 'mcp/popup.vim'

var tree: dict<any> = {}

# Runs `command` ("undo" or "redo") in {buffer}, which must be at {tick}. Answers {buffer, changedtick, changed,
# seq_cur, seq_last, modified}; at the end of the branch `changed` is false.
export def Step(p: dict<any>, command: string): dict<any>
  var bufnr = buffer.Loaded(p)
  buffer.Unchanged(bufnr, p.tick)
  gate.Check(bufnr, ['n'])
  edit.Writable(bufnr)
  var before = Tree(bufnr, '')
  var after = Tree(bufnr, 'silent keepjumps ' .. command .. ' | ')
  edit.Show(bufnr)
  var facts = buffer.Brief(bufnr)
  return {
    buffer: bufnr,
    filename: facts.filename,
    changedtick: facts.changedtick,
    changed: before.seq_cur != after.seq_cur,
    seq_cur: after.seq_cur,
    seq_last: after.seq_last,
    modified: facts.modified,
  }
enddef

# undotree() took no buffer before 9.0.1686, so it is read in the buffer's window.
def Tree(bufnr: number, command: string): dict<any>
  tree = {}
  popup.Within(bufnr, command .. 'call mcp#undo#Note()')
  return tree
enddef

export def Note()
  tree = undotree()
enddef
