vim9script
# One step in a buffer's undo tree, see `:help undo-tree`.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/edit.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/gate.vim'
import autoload 'mcp/popup.vim'

var tree: dict<any> = {}

# Runs `command` ("undo" or "redo") in {buffer}, which must be at {tick}. Answers {buffer, changedtick, changed,
# seq_cur, seq_last, modified}; at the end of the branch `changed` is false.
export def Step(p: dict<any>, command: string): dict<any>
  var bufnr = buffer.Loaded(p)
  buffer.Unchanged(bufnr, p.tick)
  edit.Writable(bufnr)
  gate.Check(bufnr, ['n'])
  var reached = Stepped(bufnr, command)
  edit.Show(bufnr)
  var facts = buffer.Brief(bufnr)
  return {
    buffer: bufnr,
    filename: facts.filename,
    changedtick: facts.changedtick,
    changed: facts.changedtick != p.tick,
    seq_cur: reached.seq_cur,
    seq_last: reached.seq_last,
    modified: facts.modified,
  }
enddef

# Where in the tree the step ended. undotree() took no buffer before 9.0.1686, so it is read in the buffer's window. As in
# edit.vim, listeners of other plugins run in a legacy context, and an error of theirs is not ours.
def Stepped(bufnr: number, command: string): dict<any>
  var said = v:errmsg
  # With the flag "u" a second undo would take back the first, and redo would do nothing.
  var cpoptions = &cpoptions
  noautocmd set cpoptions-=u
  v:errmsg = ''
  tree = {}
  try
    popup.Within(bufnr, 'legacy silent! keepjumps ' .. command .. ' | call mcp#undo#Note()')
    if v:errmsg =~ '^E\%(565\|523\|11\|1155\|21\|788\):'
      fault.Refuse(v:errmsg, '')
    endif
  finally
    noautocmd &cpoptions = cpoptions
    v:errmsg = said
  endtry
  return tree
enddef

export def Note()
  tree = undotree()
enddef
