vim9script
# Finds running brokers of the same user by the files they leave in the runtime directory.

import autoload 'mcp/address.vim'

# All brokers there are files for: [{name, address, token, target: ''}]. A file may outlive its broker.
export def Found(): list<dict<string>>
  var found: list<dict<string>> = []
  for directory in Directories()
    for path in glob(directory .. '/vim-*.json', true, true)
      var broker = Read(directory, path)
      if broker != {}
        add(found, broker)
      endif
    endfor
  endfor
  return found
enddef

# Those that answer now.
export def Live(): list<dict<string>>
  return Found()->filter((_, broker) => Answers(broker.address))
enddef

def Answers(where: string): bool
  var channel = address.Dial(where)
  if ch_status(channel) != 'open'
    return false
  endif
  ch_close(channel)
  return true
enddef

# Whether a broker that runs would not be found: Vim cannot ask who owns a directory, and root may write to anybody's.
export def Blind(): bool
  return $XDG_RUNTIME_DIR == '' && filewritable('/') == 2
enddef

# Directories that only this user can have written to: one of mode 0700 that is writable is one's own, except for root.
def Directories(): list<string>
  if $XDG_RUNTIME_DIR != ''
    return [$XDG_RUNTIME_DIR .. '/mcp-multibroker']->filter((_, path) => Own(path))
  elseif Blind()
    return []
  endif
  return glob(($TMPDIR == '' ? '/tmp' : $TMPDIR) .. '/mcp-multibroker-*', true, true)->filter((_, path) => Own(path))
enddef

def Own(directory: string): bool
  return getftype(directory) == 'dir' && getfperm(directory) == 'rwx------' && filewritable(directory) == 2
enddef

def Read(directory: string, path: string): dict<string>
  if getftype(path) != 'file' || getfperm(path) != 'rw-------'
    return {}
  endif
  try
    var facts = readfile(path)->join("\n")->json_decode()
    var broker = address.FromUrl(facts.url)
    if facts.socket != '' && fnamemodify(facts.socket, ':h') == directory && getftype(facts.socket) == 'socket'
      broker.address = 'unix:' .. facts.socket
    endif
    broker.name = facts.name
    broker.target = ''
    return broker
  catch
    # Half written, or of another version.
    return {}
  endtry
enddef
