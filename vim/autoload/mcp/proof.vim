vim9script
# Both sides of a connection prove that they know the token without saying it: a JSON channel lets its peer run Ex
# commands (`:help channel-commands`), and anybody may listen on a port.

# HMAC in spirit, with what Vim has: lower-case hex of 64 digits.
export def Keyed(key: string, text: string): string
  return sha256(key .. ':' .. sha256(key .. ':' .. text))
enddef

# 32 hex digits that nobody guesses. Without a random device, what differs between Vims and moments is mixed.
export def Nonce(): string
  try
    # With a size readblob() reads no further, and this device never makes it wait.
    return readblob('/dev/urandom', 0, 16)->blob2list()->mapnew((_, byte) => printf('%02x', byte))->join('')
  catch
    var mixed = [reltime(), getpid(), rand(), rand(), localtime(), tempname(), getcwd(), v:progpath]
    return sha256(string(mixed))[: 31]
  endtry
enddef

# What each side hashes: who proves, the address that was dialled, and both nonces.
export def Claim(who: string, dialled: string, nonce_v: string, nonce_b: string): string
  return join([who, dialled, nonce_v, nonce_b], ':')
enddef
