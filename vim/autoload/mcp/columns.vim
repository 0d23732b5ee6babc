vim9script
# Where a place in a line is once the line is another, so that what the person types goes on where it was.

# Characters that are compared with each other; in longer changes the place goes to the end of the change.
const MOST = 20000

# The byte index in `now` of the place that has the byte index `at` in `old`. What was put in right there stands behind it.
export def Moved(old: string, now: string, at: number): number
  var [before, after] = [split(old, '\zs'), split(now, '\zs')]
  var index = at >= len(old) ? len(before) : charidx(old, at)
  var least = min([len(before), len(after)])
  var head = 0
  while head < least && before[head] == after[head]
    head += 1
  endwhile
  if index <= head
    return at
  endif
  var tail = 0
  while tail < least - head && before[-1 - tail] == after[-1 - tail]
    tail += 1
  endwhile
  if index >= len(before) - tail
    return len(now) - len(old) + at
  endif
  var between = slice(after, head, len(after) - tail)
  var split = Split(slice(before, head, len(before) - tail), between, index - head)
  return split < 0 ? at : byteidx(now, head + split)
enddef

# The index in `now` that has as much as can be of what stands before `index` in `old` before it, and of the rest behind it; of
# several the nearest, and -1 if they have nothing in common.
def Split(old: list<string>, now: list<string>, index: number): number
  if len(old) * len(now) > MOST
    return len(now)
  endif
  var ahead = Common(slice(old, 0, index), now)
  var behind = Common(reverse(slice(old, index)), reverse(copy(now)))->reverse()
  var best = -1
  var most = 0
  for at in range(len(now) + 1)
    var sum = ahead[at] + behind[at]
    if sum > most || sum == most && most > 0 && abs(at - index) < abs(best - index)
      [best, most] = [at, sum]
    endif
  endfor
  return best
enddef

# How many characters `text` has in common, in order, with the first 0, 1, … characters of `other`.
def Common(text: list<string>, other: list<string>): list<number>
  var counts = repeat([0], len(other) + 1)
  for character in text
    var corner = 0
    for at in range(len(other))
      var above = counts[at + 1]
      if character == other[at]
        counts[at + 1] = corner + 1
      elseif counts[at] > above
        counts[at + 1] = counts[at]
      endif
      corner = above
    endfor
  endfor
  return counts
enddef
