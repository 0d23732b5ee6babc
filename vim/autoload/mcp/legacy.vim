" What a person or an assistant writes is legacy script, as on the command line: only a file of legacy script runs it so.

" The messages of the commands in `lines`: {'ok': text} or {'err': what Vim threw}. A :return in them ends it with 0.
function mcp#legacy#Execute(lines) abort
  try
    return {'ok': execute(a:lines)}
  catch
    return {'err': v:exception}
  endtry
endfunction

" The value of an expression: {'ok': value} or {'err': what Vim threw}.
function mcp#legacy#Evaluate(expression) abort
  try
    return {'ok': eval(a:expression)}
  catch
    return {'err': v:exception}
  endtry
endfunction
