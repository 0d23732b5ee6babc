vim9script
# Texts of others for the eye: nothing in them can look like something else.

# What |strtrans()| lets through although it shows nothing or turns the direction of text: first and last character of each range.
# U+FE0F, by which emoji have colours, stays.
const DECEPTIVE = [
  [0xad, 0xad], [0x34f, 0x34f], [0x61c, 0x61c], [0x115f, 0x1160], [0x17b4, 0x17b5], [0x180b, 0x180f], [0x200b, 0x200f],
  [0x2028, 0x202e], [0x2060, 0x206f], [0x3164, 0x3164], [0xfe00, 0xfe0e], [0xfeff, 0xfeff], [0xffa0, 0xffa0],
  [0xfff0, 0xfffb], [0x1bca0, 0x1bca3], [0x1d173, 0x1d17a], [0xe0000, 0xe0fff],
]

# {text} on one line, with what deceives as strtrans() shows it: `<202e>`.
export def Line(text: string): string
  var line = strtrans(text)
  return line =~ '^[\x01-\x7e]*$' ? line : str2list(line)->mapnew((_, nr) => Shown(nr))->join('')
enddef

def Shown(nr: number): string
  return indexof(DECEPTIVE, (_, range) => nr >= range[0] && nr <= range[1]) < 0 ? nr2char(nr) : printf('<%x>', nr)
enddef
