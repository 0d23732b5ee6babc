vim9script
# When a report of the terminal (that it lost the focus, say) comes right behind a key, Vim waits for the next key without
# having called that a safe state: |SafeState| does not come, and |state()| says "S", until the person types.

# Has Vim look again. A mouse that moves, without a button, does that in Normal and Insert mode, and every command that
# waits for more skips it.
export def Stir()
  if index(['n', 'i', 'R'], mode(1)) >= 0 && state('moas') == '' && state('S') != ''
    feedkeys("\<MouseMove>", 'n')
  endif
enddef
