/** Sample images. They are drawn when the user asks for one, so nothing needs to be downloaded. */

export interface Sample {
  title: string;
  file(): Promise<File>;
}

export const SAMPLES: readonly Sample[] = [
  { title: 'A landscape', file: () => drawSample('landscape.jpg', 1920, 1280, landscape) },
  { title: 'A receipt', file: () => drawSample('receipt.png', 720, 900, receipt) },
  { title: 'A logo', file: () => drawSample('logo.png', 640, 640, logo) },
];

type Draw = (context: CanvasRenderingContext2D, width: number, height: number) => void;

async function drawSample(name: string, width: number, height: number, draw: Draw): Promise<File> {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  draw(canvas.getContext('2d')!, width, height);
  const type = name.endsWith('.jpg') ? 'image/jpeg' : 'image/png';
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.97));
  return new File([blob!], name, { type });
}

function landscape(context: CanvasRenderingContext2D, width: number, height: number): void {
  const sky = context.createLinearGradient(0, 0, 0, height * 0.7);
  sky.addColorStop(0, '#24477f');
  sky.addColorStop(0.6, '#d98a6a');
  sky.addColorStop(1, '#f7d9a8');
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#fff3d6';
  context.beginPath();
  context.arc(width * 0.68, height * 0.47, height * 0.07, 0, 2 * Math.PI);
  context.fill();
  ['#8a6f8f', '#5d5678', '#3a4463', '#22304a', '#131f30'].forEach((colour, layer) => {
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(0, height);
    for (let x = 0; x <= width; x += 4) {
      const wave = (x / width) * (5 + layer * 3);
      const ridge = Math.sin(wave + layer * 2) + 0.5 * Math.sin(wave * 2.7 + layer) + 0.2 * Math.sin(wave * 9);
      context.lineTo(x, height * (0.55 + layer * 0.09) - ridge * height * 0.04);
    }
    context.lineTo(width, height);
    context.fill();
  });
  addNoise(context, width, height);
}

/** Adds noise like that of a photo: without it there is little to compress. The noise is the same each time. */
function addNoise(context: CanvasRenderingContext2D, width: number, height: number): void {
  const image = context.getImageData(0, 0, width, height);
  let state = 1;
  for (let index = 0; index < image.data.length; index += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const noise = (state >>> 24) / 18 - 7;
    for (let channel = 0; channel < 3; channel++) image.data[index + channel]! += noise;
  }
  context.putImageData(image, 0, 0);
}

function receipt(context: CanvasRenderingContext2D, width: number, height: number): void {
  context.fillStyle = '#fdfcf8';
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#1c1c1c';
  context.textAlign = 'center';
  context.font = 'bold 52px sans-serif';
  context.fillText('Harbour Café', width / 2, 110);
  context.font = '30px sans-serif';
  context.fillText('12 March 2026, table 7', width / 2, 165);
  const lines = [
    ['Coffee', '2.80'],
    ['Tea with lemon', '2.40'],
    ['Apple cake', '4.50'],
    ['Sparkling water', '3.10'],
  ] as const;
  context.font = '36px sans-serif';
  lines.forEach(([what, price], index) => {
    context.textAlign = 'left';
    context.fillText(what, 90, 290 + index * 75);
    context.textAlign = 'right';
    context.fillText(price, width - 90, 290 + index * 75);
  });
  context.fillRect(90, 600, width - 180, 3);
  context.font = 'bold 44px sans-serif';
  context.fillText('12.80', width - 90, 680);
  context.textAlign = 'left';
  context.fillText('Total', 90, 680);
  context.textAlign = 'center';
  context.font = '30px sans-serif';
  context.fillText('Thank you. See you soon!', width / 2, 800);
}

function logo(context: CanvasRenderingContext2D, width: number, height: number): void {
  const ground = context.createLinearGradient(0, 0, width, height);
  ground.addColorStop(0, '#2f7de1');
  ground.addColorStop(1, '#123f87');
  context.fillStyle = ground;
  context.beginPath();
  context.roundRect(40, 40, width - 80, height - 80, 130);
  context.fill();
  context.strokeStyle = '#ffffff';
  context.lineWidth = 46;
  context.lineJoin = context.lineCap = 'round';
  context.beginPath();
  context.moveTo(150, 440);
  context.lineTo(270, 280);
  context.lineTo(370, 400);
  context.lineTo(420, 340);
  context.lineTo(490, 440);
  context.stroke();
  context.fillStyle = '#ffd166';
  context.beginPath();
  context.arc(435, 215, 52, 0, 2 * Math.PI);
  context.fill();
}
