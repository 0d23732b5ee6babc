vim9script
# Whether a file's own encoding has a place for all characters. Where it has none, Vim writes others in their place, and
# says so on the screen only.

import autoload 'mcp/buffer.vim'
import autoload 'mcp/fault.vim'

# Lines that are converted at once.
const PAGE = 1000

# Throws `unsupported` if the buffer cannot be written in its 'fileencoding'. What 'charconvert' does is not known here.
export def Check(bufnr: number)
  var encoding = getbufvar(bufnr, '&fileencoding')
  if encoding =~ '^\%(utf\|ucs-4\|$\)' || &charconvert != ''
    return
  endif
  for first in range(1, getbufinfo(bufnr)[0].linecount, PAGE)
    var page = getbufline(bufnr, first, first + PAGE - 1)
    if !Fits(join(page, "\n"), encoding)
      var lnum = first + indexof(page, (_, line) => !Fits(line, encoding))
      fault.Throw('unsupported', printf("line %d of buffer %d (%s) has characters that its 'fileencoding' %s lacks; "
        .. 'nothing was written. Change them, or have the person set another', lnum, bufnr, buffer.Name(bufnr), encoding))
    endif
  endfor
enddef

def Fits(text: string, encoding: string): bool
  if len(text) == strchars(text)
    return true
  elseif encoding =~ '^ucs-2'
    return text !~# '\%#=2[\U10000-\U10ffff]'
  endif
  return iconv(iconv(text, 'utf-8', encoding), encoding, 'utf-8') ==# text
enddef
