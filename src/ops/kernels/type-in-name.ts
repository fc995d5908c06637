/**
 * Types in kernel names: that of a product's multiplications (`factorType`), which distinguishes TF32 from FP32 but not the
 * encodings of FP8, and that of the data in memory (`elementType`), which does the reverse.
 */
import { byName, matchByName } from './name-patterns.js';

/**
 * Type of the factors of a product by its short name, with `tf32`; null when the name has none. cuBLASLt's nvjet: first letter t, h, s or q; Tensile:
 * the letter after the operands' indices; CUTLASS's s1688 without a 16-bit type multiplies TF32; TensorRT-LLM: result,
 * factors, sum (`bmm_Bfloat16_MxE2m1MxE4m3_Fp32`). Four bits times eight run at the rate of eight (PTX ISA, tcgen05.mma,
 * kind::mxf8f6f4). Products whose weights or cache alone are narrow unpack these to the wide type.
 */
export const factorType = matchByName<string>([
  [/^(bmm|gemm)_[^_]+_[^_]*E[45]m[32]|fmhaSm\d+[a-z]?Kernel_Q(kv)?E[45]m[32]/, 'fp8'],
  [/^(bmm|gemm)_[^_]+_[^_]*E2m1/, 'fp4'],
  [/^(bmm|gemm)_[^_]+_[^_]*Bfloat16|fmhaSm\d+[a-z]?Kernel_Q(kv)?Bfloat16/, 'bf16'],
  [/^(bmm|gemm)_[^_]+_[^_]*Fp16|fmhaSm\d+[a-z]?Kernel_Q(kv)?Fp16/, 'fp16'],
  [/(marlin|machete|WithPagedKVCache|WithRaggedKVCache).*bfloat16/i, 'bf16'],
  [/(marlin|machete|WithPagedKVCache|WithRaggedKVCache).*half/i, 'fp16'],
  [/^nvjet_(sm\d+_)?t/, 'bf16'],
  [/^nvjet_(sm\d+_)?h/, 'fp16'],
  [/^nvjet_(sm\d+_)?s(?!m\d)/, 'tf32'],
  [/^nvjet_(sm\d+_)?q/, 'fp8'],
  [/_ffma_|(^|_)sgemm_|implicit_convolve_sgemm|simt_s(gemm|fprop|dgrad|wgrad)|[a-z]_scudnn_/, 'fp32'],
  [/tf32|tfloat32_t|_tensorop_s1688(gemm|fprop|dgrad|wgrad)(?!\w*(f16|bf16|fp16))/, 'tf32'],
  [/(^|[_\s])d884|(^|[^a-z])dmma([^a-z]|$)|f64f64|(^|_)dgemm_/, 'fp64'],
  // `ue4m3` and `ue8m0` are types of scales.
  [/(?<!u)e4m3|e5m2|(^|_)fp8|deep_gemm::fp8|per\w+fp8|blockscale\w*fp8/i, 'fp8'],
  [/e2m1|^f4gemm_|per\w+fp4/i, 'fp4'],
  [/per\w+int8|(^|_)(i8|int8|s8)(_|$)/i, 'int8'],
  [/bf16|bfloat16/i, 'bf16'],
  [/(^|_)(f|fp)16(_|$)|f16f16|(^|[_<])h(884|1688|16816|gemm)|half_t|__half|(^|_)hcudnn_/, 'fp16'],
  [/(8816|8832|16832)(cudnn|gemm|igemm|fprop)?_?int8|int8_i8|i8i8|(^|[^a-z])imma([^a-z]|$)/, 'int8'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_(B(?!8)|BBS)/, 'bf16'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_H/, 'fp16'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_S/, 'fp32'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_D/, 'fp64'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_I8/, 'int8'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_[FB]8/, 'fp8'],
]);

/** Types in memory by the type of the factors; FP8 needs its encoding, which `ELEMENT_TYPES` finds. */
const IN_MEMORY: Readonly<Record<string, string>> = {
  bf16: 'bfloat16',
  fp16: 'float16',
  tf32: 'float32',
  fp32: 'float32',
  fp64: 'float64',
};

/** Types of other kernels, and of products that C++ templates make, as C++ and Triton write them; first match wins. */
const memoryType = matchByName<string>([
  [/c10::BFloat16|nv_bfloat16|hip_bfloat16|(^|[_<, ])bf16|_bf16|bfloat16|::__bfloat\b/, 'bfloat16'],
  [/c10::Half|__half\b|half_t|(^|[_<, ])f16_|_fp16/, 'float16'],
  [/Float8_e4m3fn\b|e4m3/, 'float8_e4m3fn'],
  [/Float8_e5m2\b|e5m2/, 'float8_e5m2'],
  // Copies know the size of an element alone: `OpaqueType<2u>` has two bytes.
  [/OpaqueType<(\(unsigned int\))?1u?>/, 'opaque8'],
  [/OpaqueType<(\(unsigned int\))?2u?>/, 'opaque16'],
  [/OpaqueType<(\(unsigned int\))?4u?>/, 'opaque32'],
  [/OpaqueType<(\(unsigned int\))?8u?>/, 'opaque64'],
  [/OpaqueType<(\(unsigned int\))?16u?>/, 'opaque128'],
  [/[<, (]float[,> (*]|lambda\(float\b|_f32f32_/, 'float32'],
  [/fmha_cutlass[FB]_f32_/, 'float32'],
  // After `float`: scalar arguments of a kernel of any type are doubles.
  [/(?<!optional)[<, ]double[,> (]|lambda\(double\b/, 'float64'],
  [/ReduceOp<bool,|FillFunctor<bool>|lambda\(bool\)/, 'bool'],
  [/[<, ]long[,> (]|lambda\(long\b/, 'int64'],
  // Not `lambda(int)`, which is the loop of every elementwise kernel.
  [/[<, ]int[,>]/, 'int32'],
]);

/** Kernels that convert what they read or write, or that move it by the byte: a type in their names is one of several. */
const UNCERTAIN = /LoadWithCast|StoreWithCast|gpu_kernel_impl<|vectorized_gather_kernel/;

/** The framework's name of the element type; null when the kernel's name has none. */
export const elementType = byName((name) => {
  if (UNCERTAIN.test(name)) return null;
  const factors = factorType(name);
  return (factors === null ? undefined : IN_MEMORY[factors]) ?? memoryType(name);
});
