console.log('} {');
