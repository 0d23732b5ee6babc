vim9script
# Has another program written the file since Vim read it? `:update` would ask the person, even under `silent!`,
# and the request would hang until they answer.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'

# Time and size of a buffer's file when Vim last read or wrote it, by buffer number. `:checktime` tells about a
# change only once; this remembers. REFUSED: known to differ, whatever the time says.
var seen: dict<string> = {}
const REFUSED = 'refused'

# Starts to remember; from then on a change is known for good.
export def Watch()
  augroup mcp_disk
    autocmd!
    autocmd BufReadPost,BufWritePost * Remember(expand('<abuf>')->str2nr())
    autocmd BufWipeout * Forget(expand('<abuf>')->str2nr())
  augroup END
enddef

def Remember(bufnr: number)
  seen[bufnr] = Stamp(bufnr)
enddef

def Forget(bufnr: number)
  if has_key(seen, bufnr)
    remove(seen, bufnr)
  endif
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
  var known = get(seen, bufnr, '')
  if reason == 'conflict' || reason == 'changed' || (known != '' && known != Stamp(bufnr))
    seen[bufnr] = REFUSED
    fault.Throw('stale', buffer.Name(bufnr) .. ' was changed on disk since Vim read it; nothing was written',
      {reason: reason == '' ? 'changed' : reason})
  endif
enddef

var noted = ''

# What Vim itself finds, see |v:fcs_reason|: '' if the file is the same.
def Reason(bufnr: number): string
  noted = ''
  augroup mcp_checktime
    autocmd!
    execute printf('autocmd FileChangedShell <buffer=%d> ++once mcp#disk#Note()', bufnr)
  augroup END
  try
    execute 'silent! checktime ' .. bufnr
  finally
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
