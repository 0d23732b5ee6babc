vim9script
# Where a broker is: {address: what ch_open() takes, token, target}.

import autoload 'mcp/fault.vim'

# Takes http://HOST:PORT/TOKEN/TARGET apart.
export def FromUrl(url: string): dict<string>
  var parts = matchlist(url, '^http://\(\[[0-9A-Fa-f:.%]\+\]\|[^/:@]\+\):\(\d\+\)/\([^/?#]\+\)\%(/\(.*\)\)\=$')
  if parts == []
    fault.Throw('invalid', 'this is no broker URL; it looks like http://HOST:PORT/TOKEN/TARGET')
  endif
  var [host, port, token, target] = parts[1 : 4]
  if !Numeric(host) && host != 'localhost'
    # Looking up a name can freeze Vim for as long as the name server likes.
    fault.Throw('invalid', printf('write the address of %s in numbers', host))
  endif
  return {address: host .. ':' .. port, token: token, target: target}
enddef

def Numeric(host: string): bool
  return host =~ '^\[' || host =~ '^\d\+\.\d\+\.\d\+\.\d\+$'
enddef

# Opens a channel in 'nl' mode with further options of |ch_open()|; one that failed where nobody answers. A TCP
# connection is waited for no longer than nobody notices; a unix socket takes no 'waittime' (E475) and needs none.
export def Dial(address: string, more: dict<any> = {}): channel
  var options = extend({mode: 'nl'}, more)
  if address !~ '^unix:'
    options.waittime = address =~ '^\%(127\.\|localhost:\|\[::1\]\)' ? 20 : 200
  endif
  try
    return ch_open(address, options)
  catch
    # E902: a unix socket whose broker was killed.
    return null_channel
  endtry
enddef

# A name for this editor if the person gave none: server name, file, or working directory.
export def DefaultTarget(): string
  for name in [v:servername, expand('%:t'), fnamemodify(getcwd(), ':t')]
    var clean = Clean(name)
    if clean != ''
      return clean
    endif
  endfor
  return 'vim'
enddef

# What remains of a name: letters, digits and a few marks, at most 64.
export def Clean(name: string): string
  return name->substitute('[^[:alnum:]._#-]\+', '-', 'g')->substitute('^[-#.]\+\|-\+$', '', 'g')->strcharpart(0, 64)
enddef
