;; Where what stands for itself in a JSON string ends, 64 bytes at a time: bit n of a mask stands for byte n. Which bytes are
;; escaped is found without branches, as in "Parsing Gigabytes of JSON per Second" (Langdale, Lemire), section 3.1.1. Calls
;; would cost more than what they do, so there are none.
(module
  (memory (export "memory") 2)
  (func (export "plainEnd") (param $at i32) (param $end i32) (result i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $low v128) (local $high v128)
    (local $back i64) (local $escaped i64) (local $stop i64) (local $starts i64) (local $sum i64)
    ;; Whether the next byte is escaped, 1 or 0.
    (local $carry i64)
    (local.set $low (v128.const i8x16 0 0 13 0 8 0 4 0 0 0 0 0 2 0 4 1))
    (local.set $high (v128.const i8x16 0 0 1 0 0 2 4 8 0 0 0 0 0 0 0 0))
    (loop $next
      ;; An escape that is cut off is not plain.
      (if (i32.ge_u (local.get $at) (local.get $end))
        (then (return (i32.sub (local.get $end) (i32.wrap_i64 (local.get $carry))))))
      (local.set $a (v128.load align=1 (local.get $at)))
      (local.set $b (v128.load offset=16 align=1 (local.get $at)))
      (local.set $c (v128.load offset=32 align=1 (local.get $at)))
      (local.set $d (v128.load offset=48 align=1 (local.get $at)))
      ;; Backslashes.
      (local.set $back (i64.or
        (i64.extend_i32_u (i32.or
          (i8x16.bitmask (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x5c))))
          (i32.shl (i8x16.bitmask (i8x16.eq (local.get $b) (i8x16.splat (i32.const 0x5c)))) (i32.const 16))))
        (i64.shl (i64.extend_i32_u (i32.or
          (i8x16.bitmask (i8x16.eq (local.get $c) (i8x16.splat (i32.const 0x5c))))
          (i32.shl (i8x16.bitmask (i8x16.eq (local.get $d) (i8x16.splat (i32.const 0x5c)))) (i32.const 16)))) (i64.const 32))))
      ;; Controls and quotes.
      (local.set $stop (i64.or
        (i64.extend_i32_u (i32.or
          (i8x16.bitmask (v128.or (i8x16.lt_u (local.get $a) (i8x16.splat (i32.const 0x20))) (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x22)))))
          (i32.shl (i8x16.bitmask (v128.or (i8x16.lt_u (local.get $b) (i8x16.splat (i32.const 0x20))) (i8x16.eq (local.get $b) (i8x16.splat (i32.const 0x22))))) (i32.const 16))))
        (i64.shl (i64.extend_i32_u (i32.or
          (i8x16.bitmask (v128.or (i8x16.lt_u (local.get $c) (i8x16.splat (i32.const 0x20))) (i8x16.eq (local.get $c) (i8x16.splat (i32.const 0x22)))))
          (i32.shl (i8x16.bitmask (v128.or (i8x16.lt_u (local.get $d) (i8x16.splat (i32.const 0x20))) (i8x16.eq (local.get $d) (i8x16.splat (i32.const 0x22))))) (i32.const 16)))) (i64.const 32))))
      (local.set $escaped (local.get $carry))
      (if (i64.eqz (local.get $back))
        (then (local.set $carry (i64.const 0)))
        (else
          ;; Of backslashes in a row the first escapes the second: rows that begin at an odd place are moved on by an addition.
          (local.set $back (i64.and (local.get $back) (i64.xor (local.get $carry) (i64.const -1))))
          (local.set $escaped (i64.or (i64.shl (local.get $back) (i64.const 1)) (local.get $carry)))
          (local.set $starts (i64.and
            (i64.and (local.get $back) (i64.const 0xaaaaaaaaaaaaaaaa))
            (i64.xor (local.get $escaped) (i64.const -1))))
          (local.set $sum (i64.add (local.get $starts) (local.get $back)))
          (local.set $carry (i64.extend_i32_u (i64.lt_u (local.get $sum) (local.get $back))))
          (local.set $escaped (i64.and
            (i64.xor (i64.const 0x5555555555555555) (i64.shl (local.get $sum) (i64.const 1)))
            (local.get $escaped)))))
      (if (i64.ne (local.get $escaped) (i64.const 0))
        (then
          ;; Behind a backslash stands one of "\/bfnrt, known by both halves of the byte, or it is to be looked at.
          (local.set $stop (i64.or
            (i64.and (local.get $stop) (i64.xor (local.get $escaped) (i64.const -1)))
            (i64.and (local.get $escaped) (i64.or
              (i64.extend_i32_u (i32.or
                (i8x16.bitmask (i8x16.eq (v128.const i32x4 0 0 0 0) (v128.and
                (i8x16.swizzle (local.get $low) (v128.and (local.get $a) (i8x16.splat (i32.const 15))))
                (i8x16.swizzle (local.get $high) (v128.and (i16x8.shr_u (local.get $a) (i32.const 4)) (i8x16.splat (i32.const 15)))))))
                (i32.shl (i8x16.bitmask (i8x16.eq (v128.const i32x4 0 0 0 0) (v128.and
                (i8x16.swizzle (local.get $low) (v128.and (local.get $b) (i8x16.splat (i32.const 15))))
                (i8x16.swizzle (local.get $high) (v128.and (i16x8.shr_u (local.get $b) (i32.const 4)) (i8x16.splat (i32.const 15))))))) (i32.const 16))))
              (i64.shl (i64.extend_i32_u (i32.or
                (i8x16.bitmask (i8x16.eq (v128.const i32x4 0 0 0 0) (v128.and
                (i8x16.swizzle (local.get $low) (v128.and (local.get $c) (i8x16.splat (i32.const 15))))
                (i8x16.swizzle (local.get $high) (v128.and (i16x8.shr_u (local.get $c) (i32.const 4)) (i8x16.splat (i32.const 15)))))))
                (i32.shl (i8x16.bitmask (i8x16.eq (v128.const i32x4 0 0 0 0) (v128.and
                (i8x16.swizzle (local.get $low) (v128.and (local.get $d) (i8x16.splat (i32.const 15))))
                (i8x16.swizzle (local.get $high) (v128.and (i16x8.shr_u (local.get $d) (i32.const 4)) (i8x16.splat (i32.const 15))))))) (i32.const 16)))) (i64.const 32))))))))
      ;; What lies beyond the end is not looked at.
      (if (i32.lt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 64))
        (then (local.set $stop (i64.or
          (local.get $stop)
          (i64.shl (i64.const -1) (i64.extend_i32_u (i32.sub (local.get $end) (local.get $at))))))))
      (if (i64.eqz (local.get $stop))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (br $next)))
      ;; The byte that stops, or the backslash before it.
      (local.set $stop (i64.ctz (local.get $stop)))
      (return (i32.sub
        (i32.add (local.get $at) (i32.wrap_i64 (local.get $stop)))
        (i32.wrap_i64 (i64.and (i64.shr_u (local.get $escaped) (local.get $stop)) (i64.const 1))))))
    (unreachable)))
