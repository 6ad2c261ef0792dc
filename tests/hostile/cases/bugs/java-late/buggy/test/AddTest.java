import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.Assert;
import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class AddTest {
    @Test
    public void aSum() {
        Assert.assertEquals(3, Calc.add(1, 2));
    }

    @Test
    public void readsFile() throws Exception {
        List<String> wanted = Files.readAllLines(Path.of("test/data/expected.txt"));
        Assert.assertEquals(wanted, List.of("" + Calc.add(0, 20), "" + Calc.add(1, 20), "" + Calc.add(2, 20)));
    }

    @Test
    public void readsResource() throws Exception {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(AddTest.class.getResourceAsStream("/expected.txt")))) {
            List<String> wanted = reader.lines().collect(Collectors.toList());
            Assert.assertEquals(wanted, List.of("" + Calc.add(0, 20), "" + Calc.add(1, 20), "" + Calc.add(2, 20)));
        }
    }
}
