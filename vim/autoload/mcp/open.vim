vim9script
# Loading files without showing them.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'
import autoload 'mcp/views.vim'

# Adds {path} to the buffer list and loads it: the facts of the buffer, and `swap` with the owner of a swap file
# if one lay beside the file. A buffer that exists is used as it is.
export def Open(p: dict<any>): dict<any>
  var path = AtHome(p.path)
  Allowed(path)
  var bufnr = fault.Guard(() => bufadd(path))
  OfFile(bufnr)
  var found = bufloaded(bufnr) ? {} : Load(bufnr)
  if !buflisted(bufnr)
    views.Kept(() => List(bufnr))
  endif
  return buffer.Brief(bufnr)->extend(found)
enddef

# Throws if what bears the name is no text of a file but a terminal, a note of a plugin or the like.
def OfFile(bufnr: number)
  var buftype = getbufvar(bufnr, '&buftype')
  if buffer.FILELESS->index(buftype) >= 0
    fault.Throw('unsupported', printf("buffer %d (%s) bears that name but is not the file: its 'buftype' is %s",
      bufnr, buffer.Name(bufnr), buftype))
  endif
enddef

def List(bufnr: number): number
  setbufvar(bufnr, '&buflisted', 1)
  return bufnr
enddef

# A leading `~/` is the home directory; nothing else in a path has a meaning.
def AtHome(path: string): string
  return path[: 1] == '~/' && $HOME != '' ? $HOME .. path[1 :] : buffer.Rooted(path)
enddef

# Loads a buffer that exists. Modelines of its text are not obeyed: the text may come from anywhere.
export def Load(bufnr: number): dict<any>
  if bufname(bufnr) != '' && getbufvar(bufnr, '&buftype') == ''
    Allowed(buffer.Path(bufnr))
  endif
  # With "silent!" a swap file (E325) is noted and the buffer loaded all the same; inside :try it would be
  # loaded as well but count as an error.
  v:errmsg = ''
  views.Kept(() => LoadPlainly(bufnr))
  if !bufloaded(bufnr)
    fault.Throw(v:errmsg =~ 'E565' ? 'busy' : 'unsupported', 'the buffer could not be loaded: ' .. v:errmsg)
  endif
  return v:errmsg =~ '^E325' ? {swap: SwapOwner(bufnr)} : {}
enddef

def LoadPlainly(bufnr: number): number
  noautocmd setbufvar(bufnr, '&modeline', 0)
  silent! bufload(bufnr)
  if bufloaded(bufnr)
    noautocmd setbufvar(bufnr, '&modeline', &g:modeline)
  endif
  return bufnr
enddef

# Throws for what would freeze Vim (a FIFO), open the file browser (a directory), start a download (a scheme) or ask
# the person (an encrypted file).
def Allowed(path: string)
  if path == '' || path =~ "\n"
    fault.Throw('invalid', 'the path is empty or holds a line break')
  elseif path =~ '^\a[[:alnum:]+.-]*:[/\\]'
    fault.Throw('unsupported', path .. ' names a remote file; only local files are opened')
  elseif isdirectory(path) || path =~ '[/]$'
    fault.Throw('unsupported', path .. ' is a directory')
  endif
  Regular(path)
  if IsEncrypted(path)
    fault.Throw('unsupported', path .. ' is encrypted; only the person can open it')
  endif
enddef

# Throws if there is something else than a file of its own: reading or writing a FIFO would freeze Vim.
export def Regular(path: string)
  var kind = getftype(fault.Guard(() => resolve(path)))
  if index(['', 'file'], kind) < 0
    fault.Throw('unsupported', printf('%s is not a regular file but a %s', path, kind))
  endif
enddef

# Vim would ask for the key, see |:X|.
def IsEncrypted(path: string): bool
  const MAGIC = 'VimCrypt~'
  return filereadable(path) && getfsize(path) > len(MAGIC)
    && readblob(path, 0, len(MAGIC))->blob2list()->list2str() == MAGIC
enddef

# Who has the other swap file, beside the one that Vim then made for itself.
def SwapOwner(bufnr: number): dict<any>
  var own = swapname(bufnr)
  for path in glob(escape(fnamemodify(own, ':r'), '*?[{\`$') .. '.sw?', true, true)
    var info = swapinfo(path)
    if fnamemodify(path, ':p') != fnamemodify(own, ':p') && !has_key(info, 'error')
      return {pid: info.pid, host: info.host, user: info.user, dirty: info.dirty != 0}
    endif
  endfor
  return {}
enddef
