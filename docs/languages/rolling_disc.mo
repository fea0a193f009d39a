model RollingDisc "A thin disc rolls on a table"
  inner Modelica.Mechanics.MultiBody.World world(label2 = "z", n = {0, 0, -1}, g = 9.81);
  Modelica.Mechanics.MultiBody.Parts.RollingWheel wheel(radius = 0.5, m = 1, I_axis = 0.125, I_long = 0.0625,
    x(start = 0, fixed = true), y(start = 0, fixed = true),
    angles(start = {0.3, 0.2, 0.1}, each fixed = true),
    der_angles(start = {0.7, 0.1, 4}, each fixed = true));
end RollingDisc;
