/** What people call the devices of a profile. */
import type { VerdictFacts } from './verdict-facts.js';

const DEVICE_WORDS: Readonly<Record<string, string | undefined>> = { aws: 'NeuronCore', huawei: 'NPU' };

export function deviceWord({ profile }: VerdictFacts): string {
  const vendor = typeof profile === 'number' ? undefined : profile.devices[0]?.vendor;
  return DEVICE_WORDS[vendor ?? ''] ?? 'GPU';
}

/** `4 GPUs`; `4 of 8 GPUs` where the machine has more. A profile of one device mostly is of one rank of many. */
export function deviceWords(facts: VerdictFacts): string {
  const { devices, profile } = facts;
  const installed = typeof profile === 'number' ? 0 : profile.devices.length;
  if (devices < 2) return deviceWord(facts);
  return `${installed > devices ? `${devices} of ${installed}` : devices} ${deviceWord(facts)}s`;
}
