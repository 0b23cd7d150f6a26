/** Images encoded by the c44 program of DjVuLibre 3.5.28, and functions that return the original pixels. */

export const PHOTO_SIZE = { width: 35, height: 26 };

/** 45 x 37 pixels, `c44 -slice 74+14+90`. */
export const greyAt = (x: number, y: number): number => (x < 17 === y < 24 ? 230 - 4 * x - y : 3 * x + y);

export const GREY_PHOTO = Buffer.from(
  `QVQmVEZPUk0AAAK7REpWVUlORk8AAAAKAC0AJRgAlgAWAUJHNDQAAAA7AEqBAgAtACUA1VKHkJYyJm4Pxg/6uqaeN/d95ZHUe/amHDnwVtWiNyw2
a+yz/WrmV7o2EviowbCgzK8AQkc0NAAAAEIBDj3VMQq99tLEr4PmLQsjpkS8d73NL+PiKsFlxEPr6XAhnFdbUbRWRZQ06xXV4wBnD2+bOAtwQywX7J8t
sdxqcHRCRzQ0AAACDwJat16MUPA0bkY8RakZ7nY4Ab357AOJI6hipi+1dA34SNWBB0BaBzdvVrEEylqh2F1WKVn1icZLy+qcn6heVuSh3GB6khPg5Bql
Eb3VkwrcFfXscO632vDLwiZGLPodKHePfg2ARDZHVGSzxtgnZmqGgtevGpGaB2g1g0pqzAKv/MNfyu/T4TbzpBrXgU4YELu9ACzvEhRvmr9tYFMIcAhY
RZoLLC7ZiwV99iRapjjKQ5+xChrkNNPc5Lrm+75Z5J/kD3Cgjhgss6JBC9iK3odnpaK909lY3lpsaECr4c3ZE4ZpbUxlIFZ+QuhfTQXq3Ap6I37pp2ov
Naz0SWyEKO16noGK7hgavZUlqT/tzvIIH7meeWcnOxCB4ptjl4aG+NqjOGUAHTV1knQk8iQNqA4KcT+38fub/S0UdHNhNBkEaCJVBbK1hmU50IejWIDH
tabap0c1ryBacuHMtIL4be1HR+StyGZlj15OuowGmJQFeeGw/p1VyMh9OZIEB8pmwVux2ATgciFTZJRzJFqdzgiJp6QX5uq4rnRGVG4PkVYVeh+KUXn9
HWWVwfRiS18KnFrNah8UA+C6sKB4NFhXjKAo8/tflw95b2IMuz2s5DoCZXeHhstbfb2TkaEf32f/72cLE+wpH///9ij5tWJHu9F+HoQz0mcrcy+jElQ1
Mll9Lbs66lV7Lx+UVC/+8AWe`,
  'base64',
);

export const colourAt = (x: number, y: number): number[] => [x * 7, y * 9, Math.max(0, 250 - 4 * x - 2 * y)];

/** `c44 -slice 130 -crcbfull`. */
export const COLOUR_PHOTO = Buffer.from(
  `QVQmVEZPUk0AAADWREpWVUlORk8AAAAKACMAGhgAZAAWAUJHNDQAAAC4AIIBAgAjABqA/NpBBMxSu7YvM1q7QFdo//ifPxPNcRl5j/8p21MpCgiH
biWg0aUtWaL9NerN3XMOn9cHWDzBioYQi6u/C8uqey46oUgDLZBgAQGP7AKH7LEAE3UaGfw1zZ47EQ5H5qxYx6FlLmdX13/Eopqgfoz5jQpv2Ga0nSwe
DywKdMWS+CFUafF44o/dgk5YaZW6ajF/lqKaOFj1spJINgn1I33EKf09mdlkcCUPebQHTREHXw==`,
  'base64',
);

/** `c44 -slice 110 -crcbhalf`: the chroma has half the resolution. */
export const HALF_COLOUR_PHOTO = Buffer.from(
  `QVQmVEZPUk0AAABjREpWVUlORk8AAAAKACMAGhgAZAAWAUJHNDQAAABFAG4BAgAjABoK/KYpmQbMcZ7YvM1rDmJn4yGH2j/+JAn1EZeY/tRUYwFB
EMsmmrFmiBcz/louVunlx1QpAGWyDAAgMf2A`,
  'base64',
);
