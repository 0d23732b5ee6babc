vim9script
# Has another program written the file since Vim read it? `:update` would ask the person, even under `silent!`,
# and the request would hang until they answer.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'

# {stamp, at} by buffer number: time and size of the buffer's file when Vim last read or wrote it, and when that was.
# `:checktime` tells about a change only once; this remembers. REFUSED: known to differ, whatever the time says.
var seen: dict<dict<any>> = {}
const REFUSED = {stamp: 'refused', at: 0}

# Starts to remember; from then on a change is known for good.
export def Watch()
  augroup mcp_disk
    autocmd!
    autocmd BufReadPost,BufWritePost * Remember(expand('<abuf>')->str2nr())
    autocmd FileChangedShellPost * Noticed(expand('<abuf>')->str2nr())
    autocmd BufFilePost,BufWipeout * Forget(expand('<abuf>')->str2nr())
  augroup END
  for info in getbufinfo({bufloaded: 1})->filter((_, info) => !has_key(seen, info.bufnr))
    # When Vim read it is not known.
    seen[info.bufnr] = {stamp: Stamp(info.bufnr), at: 0}
  endfor
enddef

def Remember(bufnr: number)
  seen[bufnr] = {stamp: Stamp(bufnr), at: localtime()}
enddef

# Vim told the person of a change. If they had it read again, BufReadPost came before.
def Noticed(bufnr: number)
  if Differs(bufnr, get(seen, bufnr, REFUSED))
    seen[bufnr] = REFUSED
  endif
enddef

def Forget(bufnr: number)
  if has_key(seen, bufnr)
    remove(seen, bufnr)
  endif
enddef

def Differs(bufnr: number, known: dict<any>): bool
  return known != {} && known.stamp != Stamp(bufnr)
enddef

def Stamp(bufnr: number): string
  var path = buffer.Path(bufnr)
  return getftime(path) .. ' ' .. getfsize(path)
enddef

# Throws `stale` if the file is not the one Vim read. A file that was deleted is written anew.
export def Check(bufnr: number)
  var reason = Reason(bufnr)
  if getftype(buffer.Path(bufnr)) == '' || reason == 'deleted'
    return
  endif
  if IsForeign(bufnr, get(seen, bufnr, {}), reason)
    seen[bufnr] = REFUSED
    fault.Throw('stale', buffer.Name(bufnr) .. ' was changed on disk since Vim read it; nothing was written',
      {reason: reason == '' ? 'changed' : reason})
  endif
enddef

# Whether another program wrote the file.
def IsForeign(bufnr: number, known: dict<any>, reason: string): bool
  if known == REFUSED
    return true
  elseif reason == 'conflict' || reason == 'changed'
    # Of a change of permissions only, Vim says the same. The file had its time, in seconds, before Vim read it; a later
    # write would have given it another.
    return known == {} || Differs(bufnr, known) || getftime(buffer.Path(bufnr)) >= known.at
  endif
  # If Vim finds nothing, a difference comes of `:noautocmd write`, or of a handler that kept the change to itself.
  return Differs(bufnr, known) && exists('#FileChangedShell')
enddef

var noted = ''

# What Vim itself finds, see |v:fcs_reason|: '' if the file is the same.
def Reason(bufnr: number): string
  noted = ''
  # Without its event :checktime would ask. (With :noautocmd Vim itself sets 'eventignore'.)
  var ignored = &eventignore
  &eventignore = ''
  augroup mcp_checktime
    autocmd!
    execute printf('autocmd FileChangedShell <buffer=%d> ++once mcp#disk#Note()', bufnr)
  augroup END
  try
    execute 'silent! checktime ' .. bufnr
  finally
    &eventignore = ignored
    augroup mcp_checktime
      autocmd!
    augroup END
  endtry
  return noted
enddef

export def Note()
  noted = v:fcs_reason
  v:fcs_choice = ''
enddef
