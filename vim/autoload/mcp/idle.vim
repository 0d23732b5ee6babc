vim9script
# When an answer of the terminal comes together with the person's keys, Vim waits for the next key without having called
# that a safe state: |SafeState| does not come, and |state()| says "S", until the person types.

# Has Vim go around its main loop once. Where half a command is typed, the key that means nothing is passed over.
export def Stir()
  if mode(1) == 'n' && state('moaSs') == 'S'
    feedkeys("\<Ignore>", 'n')
  endif
enddef
