/** Choices, such as that of a device, that are stored in the address, so that a shared link shows the same. */
import { select } from './dom-elements.js';
import { readFragment, withName } from './fragment.js';
import type { PageProfile } from '../../prof/html/page-data.js';

/** @returns the value in the address; the first value when it has none, or an unknown one */
export function keptChoice<Value extends string | number>(name: string, values: readonly Value[], first: Value): Value {
  const kept = readFragment(location.hash).get(name);
  return values.find((value) => String(value) === kept) ?? first;
}

/** Sets a parameter of the address, without a new history entry. @param value null removes it */
export function keepName(name: string, value: string | null): void {
  const fragment = withName(location.hash, name, value);
  history.replaceState(history.state, '', fragment === '' ? `${location.pathname}${location.search}` : `#${fragment}`);
}

/** @param first the default, which is not written into the address */
export const keepChoice = <Value extends string | number>(name: string, value: Value, first: Value): void =>
  keepName(name, value === first ? null : String(value));

/**
 * A select box that stores its choice, and shows it now and when it changes.
 * @param name name of the parameter in the address
 * @param first the default
 */
export function keptSelect<Value extends string | number>(
  label: string,
  name: string,
  choices: readonly (readonly [value: Value, label: string])[],
  first: Value,
  show: (value: Value) => void,
): HTMLElement {
  const values = choices.map(([value]) => value);
  const chosen = keptChoice(name, values, first);
  show(chosen);
  return select(label, choices, chosen, (value) => {
    keepChoice(name, value, first);
    show(value);
  });
}

/** The name in the profile; null when it has none. */
export const deviceName = ({ overview: { header, devices } }: PageProfile, device: number): string | null =>
  header?.devices.find(({ id }) => id === device)?.name ??
  devices.find((entry) => entry.device === device)?.name ??
  null;

/** `0 · NVIDIA H100`, because pages may have devices of several kinds. */
const deviceText = (profile: PageProfile, device: number): string => {
  const name = deviceName(profile, device);
  return name === null ? String(device) : `${device} · ${name}`;
};

/**
 * Shows a device, and a choice if there are several.
 * @param name name of the parameter in the address
 */
export function devicePicker(
  profile: PageProfile,
  name: string,
  devices: readonly number[],
  show: (device: number) => void,
): HTMLElement[] {
  const [first] = devices;
  if (first === undefined) return [];
  const choices = devices.map((device) => [device, deviceText(profile, device)] as const);
  const box = keptSelect('Device', name, choices, first, show);
  return devices.length > 1 ? [box] : [];
}
