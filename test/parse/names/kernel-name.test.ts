import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { shortName, stripAbi } from '../../../src/parse/names/kernel-name.js';
import { isDict, parseLiteral } from '../../../src/record/python/python-literal.js';
import { itShared } from '../../support/shared.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('shortName', () => {
  describe("PyProf's rule", () => {
    const cases: [string, string][] = [
      ['void at::native::elementwise_kernel<512, 1>(int)', 'elementwise_kernel'],
      ['void cudnn::detail::dgrad_engine<float, 128, 6>(int)', 'cudnn::detail::dgrad_engine'],
      ['void (anonymous namespace)::softmax_warp_forward<float>(float*)', 'softmax_warp_forward'],
      ['void at::native::(anonymous namespace)::kernel::lstm_cell<float>(int)', 'kernel::lstm_cell'],
      ['cudnn::gemm::computeOffsetsKernel(int)', 'cudnn::gemm::computeOffsetsKernel'],
      ['volta_sgemm_128x64_nn', 'volta_sgemm_128x64_nn'],
      ['void thrust::cuda_cub::f<int>(int)', 'thrust::cuda_cub::f'],
    ];
    for (const [long, short] of cases) it(long, () => expect(shortName(long)).to.equal(short));
  });

  describe('where PyProf cuts blindly', () => {
    const cases: [string, string][] = [
      ['void hnative::f<int>(int)', 'hnative::f'],
      ['void flat::f(int)', 'flat::f'],
      ['void avoid void_kernel(int)', 'void_kernel'],
      ['void ns::operator< <int>(int)', 'ns::operator<'],
      ['void ns::Fn::operator()(int) const', 'ns::Fn::operator()'],
      ['void ns::Fn::operator ()(int) const', 'ns::Fn::operator ()'],
      ['<unnamed>::nvfuser_f0(<unnamed>::Tensor<float, (int)2>)', 'nvfuser_f0'],
      ['void at::native::<unnamed>::layer_norm_kernel<float, (bool)0>(int)', 'layer_norm_kernel'],
      ['std::enable_if<!T7, void>::type internal::gemvx::kernel<int, (bool)0>(T8)', 'internal::gemvx::kernel'],
      ['std::enable_if<(((8)>(0)))&&vllm::X<c10::BFloat16>::exists, void>::type vllm::norm<8>(int)', 'vllm::norm'],
      ['decltype(auto) ns::f<int>(int)', 'ns::f'],
      ['unsigned int ns::f<(a)->b>(int)', 'ns::f'],
      ['ns::Loop<ns::Policy<1> >::run<float>(int)', 'ns::Loop::run'],
      ['void f(int)::{lambda()#1}::operator()() const', 'f'],
      ['Cijk_Ailk_Bljk_HHS_BH_MT64x64x16 [clone .kd]', 'Cijk_Ailk_Bljk_HHS_BH_MT64x64x16'],
      ['ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>) [clone .kd]', 'ncclDevKernel_Generic_1'],
      ['Memcpy DtoD (Device -> Device)', 'Memcpy DtoD (Device -> Device)'],
      ['loop fusion 3', 'loop fusion 3'],
      ['', ''],
      ['<unnamed>::', '<unnamed>::'],
    ];
    for (const [long, short] of cases) it(long, () => expect(shortName(long)).to.equal(short));
  });

  describe('wrappers keep the kernel they wrap', () => {
    const cases: [string, string][] = [
      [
        'void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(T1::Params)',
        'cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>',
      ],
      [
        'void cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688fprop>(cutlass_tensorop_s1688fprop::Params)',
        'cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688fprop>',
      ],
      [
        'void cutlass::device_kernel<flash::FlashAttnFwdSm90<flash::Mainloop<2, cute::tuple<int, int> >, int> >(int)',
        'cutlass::device_kernel<flash::FlashAttnFwdSm90>',
      ],
      [
        'void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::Agent<int>, int>(int)',
        'thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::Agent>',
      ],
      ['void cutlass::Kernel(int)', 'cutlass::Kernel'],
      ['void cutlass::Kernel<at>(int)', 'cutlass::Kernel'],
      ['void mine::Kernel<cutlass_80>(int)', 'mine::Kernel'],
    ];
    for (const [long, short] of cases) it(long, () => expect(shortName(long)).to.equal(short));
  });

  for (const file of [
    'data/nvprof/lm_v100.net.dict',
    'data/pyprof/pyprof2.nsys.dict',
    'data/pyprof/pyprof2.nvprof.dict',
    'data/pyprof/nvidia.nsys.dict',
    'data/pyprof/nvidia.nvprof.dict',
  ]) {
    itShared(`equals kShortName for every kernel of ${file}`, [file], ([path = '']) => {
      for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
        const record = parseLiteral(line);
        if (!isDict(record)) throw new Error(`not a dict: ${line}`);
        expect(shortName(record['kLongName'] as string)).to.equal(record['kShortName']);
      }
    });
  }

  itShared('distinguishes the kernels of a real list of names', ['reference/kernel_names.tsv'], ([path = '']) => {
    const rows = readFileSync(path, 'utf8').trim().split('\n').slice(1);
    for (const row of rows) {
      const name = row.split('\t')[3] ?? '';
      const short = shortName(name);
      expect(short, name).to.match(/^[^ ]|^$/);
      expect(short, name).not.to.match(/^(?:void |at::|::|<)|::$|^$/);
    }
  });

  it('gives a name for any text, in linear time', () => {
    const token = fc.constantFrom(
      ...'<>()[]{}:, -operator'.split(''),
      'operator',
      '::',
      'void ',
      'at::',
      'cutlass::Kernel<',
    );
    fc.assert(
      fc.property(fc.array(token), (tokens) => {
        const name = tokens.join('');
        expect(shortName(name) === '').to.equal(name === '' || name === 'void ');
      }),
      { numRuns: propertyRuns(250) },
    );
    for (const part of ['<', '(', 'operator', 'a::', 'a<b>::', '<>', '-> ']) shortName(part.repeat(200_000));
  });
});

describe('stripAbi', () => {
  const cases: [string, string][] = [
    ['cudaLaunchKernel_v7000', 'cudaLaunchKernel'],
    ['cudaLaunchKernel_ptsz_v7000', 'cudaLaunchKernel'],
    ['cudaStreamGetCaptureInfo_v2_v11030', 'cudaStreamGetCaptureInfo'],
    ['cuMemcpyHtoDAsync_v2_ptsz', 'cuMemcpyHtoDAsync'],
    ['cuLaunchKernelEx', 'cuLaunchKernelEx'],
    ['hipLaunchKernel', 'hipLaunchKernel'],
    ['user_v', 'user_v'],
  ];
  for (const [api, name] of cases) it(api, () => expect(stripAbi(api)).to.equal(name));
});
