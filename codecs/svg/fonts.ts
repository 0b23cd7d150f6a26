/** Loads the font for all texts in drawings, whatever font they name: Noto Sans in four styles. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const STYLES = ['400Regular', '400Regular_Italic', '700Bold', '700Bold_Italic'];

let fonts: Promise<Uint8Array[]> | undefined;

/** Reads the TrueType files once. */
export function loadFonts(): Promise<Uint8Array[]> {
  const { resolve } = createRequire(import.meta.url);
  fonts ??= Promise.all(
    STYLES.map((style) => readFile(resolve(`@expo-google-fonts/noto-sans/${style}/NotoSans_${style}.ttf`))),
  );
  return fonts;
}
