; half.ll - conversions of half precision, for processors without instructions
; for them: LLVM calls these by name, and the C library does not have them.
; Rounding is to the nearest, ties to even; what is used of it is linked.

define hidden float @__extendhfsf2(half %h) nounwind {
  %bits = bitcast half %h to i16
  %wide = zext i16 %bits to i32
  %magnitude = and i32 %wide, 32767
  %shifted = shl i32 %magnitude, 13
  %exponent = and i32 %shifted, 260046848
  %normal = add i32 %shifted, 939524096
  ; infinity and NaN
  %special = add i32 %shifted, 1879048192
  %is_special = icmp eq i32 %exponent, 260046848
  ; denormals: an exponent of one and its value taken away
  %raised = add i32 %shifted, 947912704
  %raised_value = bitcast i32 %raised to float
  %denormal_value = fsub float %raised_value, 0x3F10000000000000
  %denormal = bitcast float %denormal_value to i32
  %is_denormal = icmp eq i32 %exponent, 0
  %finite = select i1 %is_denormal, i32 %denormal, i32 %normal
  %unsigned = select i1 %is_special, i32 %special, i32 %finite
  %sign = and i32 %wide, 32768
  %high_sign = shl i32 %sign, 16
  %signed = or i32 %unsigned, %high_sign
  %value = bitcast i32 %signed to float
  ret float %value
}

define hidden double @__extendhfdf2(half %h) nounwind {
  %single = call float @__extendhfsf2(half %h)
  %value = fpext float %single to double
  ret double %value
}

define hidden half @__truncsfhf2(float %x) nounwind {
  %bits = bitcast float %x to i32
  %magnitude = and i32 %bits, 2147483647
  %sign = lshr i32 %bits, 16
  %high_sign = and i32 %sign, 32768
  ; half a unit, less one for an even result
  %shifted = lshr i32 %magnitude, 13
  %odd = and i32 %shifted, 1
  %rounded = add i32 %magnitude, %odd
  %rebiased = add i32 %rounded, 3355447295
  %normal = lshr i32 %rebiased, 13
  ; below 2^-14 an addition of 0.5 rounds to units of 2^-24
  %absolute = bitcast i32 %magnitude to float
  %sum = fadd float %absolute, 5.000000e-01
  %sum_bits = bitcast float %sum to i32
  %denormal = sub i32 %sum_bits, 1056964608
  %is_denormal = icmp ult i32 %magnitude, 947912704
  %finite = select i1 %is_denormal, i32 %denormal, i32 %normal
  ; from 65520 on, infinity
  %is_large = icmp uge i32 %magnitude, 1199566848
  %bounded = select i1 %is_large, i32 31744, i32 %finite
  %payload = and i32 %shifted, 1023
  %nan = or i32 %payload, 32256
  %is_nan = icmp ugt i32 %magnitude, 2139095040
  %unsigned = select i1 %is_nan, i32 %nan, i32 %bounded
  %signed = or i32 %unsigned, %high_sign
  %narrow = trunc i32 %signed to i16
  %value = bitcast i16 %narrow to half
  ret half %value
}

define hidden half @__truncdfhf2(double %x) nounwind {
  %bits = bitcast double %x to i64
  %magnitude = and i64 %bits, 9223372036854775807
  %sign = lshr i64 %bits, 48
  %high_sign = and i64 %sign, 32768
  %shifted = lshr i64 %magnitude, 42
  %odd = and i64 %shifted, 1
  %rounded = add i64 %magnitude, %odd
  ; (15 - 1023) * 2^52 + 2^41 - 1
  %rebiased = add i64 %rounded, -4539626225366204417
  %normal = lshr i64 %rebiased, 42
  ; below 2^-14 an addition of 2^28 rounds to units of 2^-24
  %absolute = bitcast i64 %magnitude to double
  %sum = fadd double %absolute, 0x41B0000000000000
  %sum_bits = bitcast double %sum to i64
  %denormal = sub i64 %sum_bits, 4733283208366391296
  %is_denormal = icmp ult i64 %magnitude, 4544132024016830464
  %finite = select i1 %is_denormal, i64 %denormal, i64 %normal
  %is_large = icmp uge i64 %magnitude, 4679237813814689792
  %bounded = select i1 %is_large, i64 31744, i64 %finite
  %payload = and i64 %shifted, 1023
  %nan = or i64 %payload, 32256
  %is_nan = icmp ugt i64 %magnitude, 9218868437227405312
  %unsigned = select i1 %is_nan, i64 %nan, i64 %bounded
  %signed = or i64 %unsigned, %high_sign
  %narrow = trunc i64 %signed to i16
  %value = bitcast i16 %narrow to half
  ret half %value
}
