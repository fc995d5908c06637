/** Labels of profiles, for pages with several. */
import { elementAt } from '../containers/element.js';
import { profileName, type PageOutline, type ProfileOutline } from '../prof/html/page-elements.js';

interface HeaderDevice {
  readonly id: number;
  readonly vendor: string | null;
  readonly name: string | null;
  readonly arch: string | null;
}

/** Names of devices whose model is not recorded. */
const VENDOR_DEVICES: Readonly<Record<string, string | undefined>> = {
  ...{ nvidia: 'NVIDIA GPU', amd: 'AMD GPU', intel: 'Intel GPU' },
  ...{ huawei: 'Ascend NPU', aws: 'Neuron device', google: 'TPU' },
};

/**
 * `NVIDIA H100`, `8 × MI300X`, `8 × MI300X installed, 1 used`. The number of used devices is stated if some devices did
 * no work while others did; without any recorded work it is unknown.
 * @param used ids of those that worked
 */
export function deviceTexts(devices: readonly HeaderDevice[], used: ReadonlySet<number>): string[] {
  const counts = new Map<string, { installed: number; used: number }>();
  for (const { id, vendor, name, arch } of devices) {
    const text = name ?? arch ?? `${VENDOR_DEVICES[vendor ?? ''] ?? 'device'} (model not recorded)`;
    const count = counts.get(text) ?? { installed: 0, used: 0 };
    counts.set(text, { installed: count.installed + 1, used: count.used + Number(used.has(id)) });
  }
  return [...counts].map(([name, { installed, used: worked }]) => {
    const several = installed > 1 ? `${installed} × ${name}` : name;
    return worked === installed || used.size === 0
      ? several
      : `${several} installed, ${worked === 0 ? 'none' : worked} used`;
  });
}

/** 'rank 3', or its file, or its index. */
function rankName(profile: ProfileOutline, at: number): string {
  const { header } = profile.overview;
  const name = profileName(header) ?? `profile ${at}`;
  return (header?.rank ?? null) === null ? name : `rank ${header?.rank}`;
}

/** Unique labels of all profiles: equal ones are extended by file or index, and graph captures are marked as such. */
export function rankNames({ profiles }: Pick<PageOutline, 'profiles'>): string[] {
  return distinctNames(profiles).map((name, at) =>
    elementAt(profiles, at).isGraphCapture ? `${name} (graph capture)` : name,
  );
}

function distinctNames(profiles: readonly ProfileOutline[]): string[] {
  const names = profiles.map(rankName);
  return profiles.map(({ overview: { header } }, at) => {
    const name = elementAt(names, at);
    if (header === null || names.filter((other) => other === name).length === 1) return name;
    const { file } = header;
    const files = profiles.filter((profile) => profile.overview.header?.file === file).length;
    return files === 1 && file !== name ? `${name}, ${file}` : `${name}, profile ${at}`;
  });
}
